"""The forms of a report: well-made pages that need nothing beside them and escape every name."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

import strategies
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import quoted
from tacit.core.variables import Continuous, Discrete
from tacit.reporting.facts import BUILDERS
from tacit.reporting.html import KINDS as TEMPLATES
from tacit.reporting.outline import KINDS as OUTLINES
from tacit.reporting.report import Report
from tacit.reporting.wording import visible

VOID = {"meta", "rect", "path", "circle", "polyline", "br", "input", "img", "link", "hr"}
EVIL = '<script>alert("x")</script>'


class Page(HTMLParser):
    """Elements as (tag, attributes), all text, and whether what was opened was closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), f"{tag} repeats an attribute"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def evil_fit():
    names = [EVIL, "a\"b'c", "pipe|star*_under_`tick`", "x" * 300, "tab\tline\nend \x1b[31m\u202e"]
    variables = {name: Discrete(name, ("<b>", "no & never")) for name in names}
    random = np.random.default_rng(0)
    codes = {name: random.integers(-1, 2, 60) for name in names}
    dag = tc.Dag({name: tuple(names[max(0, at - 2) : at]) for at, name in enumerate(names)})
    return tc.fit(dag, Dataset(variables, codes), method=tc.AvailableCases())


@pytest.fixture(scope="module")
def evil():
    return tc.report(evil_fit())


@pytest.fixture(scope="module")
def alarm(example_models):
    network = tc.read(example_models / "alarm.bif.gz")
    return tc.report(tc.fit(network, tc.sample(network, 1000, seed=1)))


@pytest.fixture(scope="module")
def searched():
    names = [EVIL, "a\"b'c", "pipe|star*_under_`tick`", "tab\tline\nend \x1b[31m\u202e", "E"]
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 80)
    codes = {name: np.where(random.random(80) < 0.1, 1 - first, first) for name in names}
    data = Dataset({name: Discrete(name, ("<b>", "no & never")) for name in names}, codes)
    arcs = [f"{quoted(names[1])} -> {quoted(names[0])}", f"{quoted(names[2])} -> E"]
    rules = f"require {arcs[0]}\nforbid {arcs[1]}\nforbid E -> {quoted(names[2])}"
    return tc.report(tc.search(data, knowledge=rules, bootstrap=3, seed=1))


@pytest.fixture(scope="module")
def proposed():
    names = [EVIL, "a\"b'c", "pipe|star*_under_`tick`", "tab\tline\nend \x1b[31m\u202e", "E"]
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 300)
    codes = {name: np.where(random.random(300) < 0.2, 1 - first, first) for name in names}
    data = Dataset({name: Discrete(name, ("<b>", "no & never")) for name in names}, codes)
    fixed = {f"fixed {EVIL}": names[:3]}
    found = tc.propose_hidden(
        data, children=fixed, name=f"found {EVIL}", bootstrap=2, most=1, restarts=1, evidence=99,
        least=3, seed=1, progress=False,
    )  # fmt: skip
    assert {each.accepted for each in found} == {True, False}
    return tc.report(found)


@pytest.fixture(params=["evil", "alarm", "searched", "proposed"])
def report(request):
    return request.getfixturevalue(request.param)


def test_the_page_is_balanced_and_its_ids_are_unique(report):
    page = Page(report.to_html())
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [a["href"] for a in page.all("a")]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_the_page_asks_the_network_for_nothing(report):
    html = report.to_html()
    page = Page(html)
    assert not re.search(r"https?://|@import|url\(", html)
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "srcset", "data", "action", "background"} & set(attributes)
        assert tag == "a" or "href" not in attributes
    (policy,) = (m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")


def test_a_screen_reader_finds_its_way(report):
    page = Page(report.to_html())
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(head.get("scope") in ("row", "col") for head in page.all("th"))
    for drawing in page.all("svg"):
        assert drawing.get("aria-hidden") == "true" or (
            drawing["role"] == "img" and drawing["aria-label"]
        )
    for region in page.all("div"):
        if region.get("role") == "region":
            assert region["tabindex"] == "0"
            assert region["aria-label"]
    assert page.all("html")[0]["lang"] == "en"


@pytest.mark.parametrize("kind", ["evil", "searched", "proposed"])
def test_hostile_names_stay_text(kind, request):
    html = request.getfixturevalue(kind).to_html()
    page = Page(html)
    assert len(page.all("script")) == 1
    assert EVIL not in html
    assert EVIL in page.text
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert "\x1b" not in html
    assert "\u202e" not in html


@pytest.mark.parametrize("kind", ["evil", "searched", "proposed"])
def test_hostile_names_steer_no_terminal_and_break_no_line(kind, request):
    report = request.getfixturevalue(kind)
    for text in (str(report), report.to_markdown()):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert text.isprintable() or {c for c in text if not c.isprintable()} == {"\n"}


@pytest.mark.parametrize("kind", ["evil", "searched", "proposed"])
def test_hostile_names_are_no_markdown(kind, request):
    lines = request.getfixturevalue(kind).to_markdown().splitlines()
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith("```"):
            assert "<" not in line
            if line.startswith("|"):
                bare = re.findall(r"(?<!\\)\|", line)
                assert len(bare) == len(re.findall(r"(?<!\\)\|", lines[_table_head(lines, at)]))


def _table_head(lines, at):
    while lines[at - 1].startswith("|"):
        at -= 1
    return at


@given(strategies.discrete_networks(most=4, names=strategies.odd_names))
@settings(max_examples=25)
def test_any_names_make_a_page_that_shows_them(network):
    report = tc.report(tc.fit(network, tc.sample(network, 20, seed=1)))
    page = Page(report.to_html())
    assert len(page.all("script")) == 1
    for name in network:
        assert " ".join(visible(name).split()) in page.text
    assert str(report)
    assert report.to_markdown()
    assert json.loads(report.to_json()) == report.facts


def test_a_report_saved_as_json_prints_again(report):
    again = Report(json.loads(report.to_json()))
    assert again.to_html() == report.to_html()
    assert str(again) == str(report)
    assert again.to_markdown() == report.to_markdown()
    assert again.to_json() == report.to_json()


def test_the_same_fit_gives_the_same_bytes_under_any_hash_seed():
    code = (
        "import numpy as np, hashlib, tacit as tc\n"
        "v = {n: tc.Discrete(n, ('no', 'yes')) for n in 'ABCDEFGH'}\n"
        "r = np.random.default_rng(0)\n"
        "d = tc.Dataset(v, {n: r.integers(0, 2, 50) for n in v})\n"
        "f = tc.fit('A, B -> C; C -> D, E; B -> F; F, A -> G; H', d)\n"
        "p = tc.report(f)\n"
        "print(hashlib.sha256((p.to_html() + str(p) + p.to_json()).encode()).hexdigest())\n"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(prints) == 1


@pytest.mark.parametrize("name", ["r.html", "r.md", "r.txt", "r.json", "R.HTML", "r.md.gz"])
def test_save_writes_the_form_its_suffix_names(evil, tmp_path, name):
    evil.save(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    form = name.lower().removesuffix(".gz").partition(".")[2]
    wanted = {"html": evil.to_html, "md": evil.to_markdown, "json": evil.to_json}
    assert content.decode() == wanted.get(form, evil.__str__)()


def test_notebooks_show_the_page_in_a_frame_of_its_own(evil):
    frame = Page(evil._repr_html_())
    (attributes,) = frame.all("iframe")
    assert attributes["srcdoc"] == evil.to_html()
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["title"]


def test_every_kind_of_section_can_be_laid_out_everywhere():
    assert set(BUILDERS) <= set(OUTLINES) == set(TEMPLATES)


def test_sections_and_parts_without_anything_to_say_are_absent():
    rain = Discrete("Rain", ("no", "yes"))
    data = Dataset({"Rain": rain}, {"Rain": np.arange(1000) % 2})
    report = tc.report(tc.fit("Rain", data))
    for text in (report.to_html(), report.to_markdown(), str(report)):
        for absent in ("Missing cells", "Worth knowing", "Notes of the fit", "The arcs as a list"):
            assert absent not in text
    html = report.to_html()
    assert "<polyline" not in html
    assert "thickness of an arc" not in html
    assert "moved this cell" not in html


def test_a_trace_of_several_steps_is_drawn(evil):
    facts = json.loads(evil.to_json())
    course = next(section for section in facts["sections"] if section["kind"] == "course")
    course["trace"] = [-9.0, None, -4.0, -3.0]
    report = Report(facts)
    (line,) = Page(report.to_html()).all("polyline")
    assert line["points"] == "0,110 240,18.3 360,0"
    assert "3 steps took the objective from -9.000 to -3.000 nats." in str(report)


def test_hidden_variables_have_another_outline(evil):
    facts = json.loads(evil.to_json())
    network = next(section for section in facts["sections"] if section["kind"] == "network")
    assert 'class="s0 hidden"' not in Report(facts).to_html()
    network["variables"][0] |= {"hidden": True, "support": 0.0}
    report = Report(facts)
    assert 'class="s0 hidden"' in report.to_html()
    assert "(hidden)" in str(report)


def test_linear_gaussians_are_written_as_equations():
    variables = {name: Continuous(name) for name in ("Wind", "Power")}
    random = np.random.default_rng(0)
    wind = random.normal(5, 2, 40)
    data = Dataset(variables, {"Wind": wind, "Power": 3 - 2 * wind + random.normal(0, 1, 40)})
    report = tc.report(tc.fit("Wind -> Power", data))
    family = re.search(r"Power = (\S+) − (\S+) × Wind, with noise of sd (\S+)<", report.to_html())
    fit = tc.fit("Wind -> Power", data).network["Power"]
    shown = [float(part) for part in family.groups()]
    assert shown == pytest.approx([fit.intercept, -fit.coefficients[0], fit.sd], abs=0.01)


def test_marks_shades_and_small_print_are_in_the_cells():
    rain = Discrete("Rain", ("no", "yes"))
    data = Dataset({"Rain": rain}, {"Rain": np.array([0, 0, 1])})
    html = tc.report(tc.fit("Rain", data, prior=tc.K2())).to_html()
    assert '<td style="--p:.6"><b>▼0.07</b>0.600<small>0.19–0.93</small></td>' in html
    assert '<td class="cases">3 <em>few</em></td>' in html


@pytest.mark.parametrize(("name", "megabytes"), [("andes", 2.0), ("link", 5.0)])
def test_large_networks_report_soon_and_in_reasonable_size(example_models, name, megabytes):
    network = tc.read(example_models / f"{name}.bif.gz")
    fit = tc.fit(network, tc.sample(network, 200, seed=1))
    started = time.process_time()
    html = tc.report(fit).to_html()
    assert time.process_time() - started < 20
    assert len(html.encode()) < megabytes * 1e6
    page = Page(html)
    drawings = [svg for svg in page.all("svg") if "drawing" in (svg.get("class") or "")]
    assert len(drawings) == 1 + len(network)


def luminance(colour):
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    """The ratio that accessibility guidelines ask to be 4.5 for text."""
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def palettes():
    """The colours of the light and of the dark scheme, as the style sheet declares them."""
    style = (files("tacit.reporting") / "templates" / "style.css").read_text()
    for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL):
        found = dict(re.findall(r"--([\w-]+): ([^;]+);", block))
        yield {
            name: tuple(int(value[at : at + 2], 16) / 255 for at in (1, 3, 5))
            if value.startswith("#")
            else tuple(int(part) / 255 for part in value.split())
            if " " in value
            else float(value)
            for name, value in found.items()
        }


def test_text_can_be_read_in_light_and_dark_on_every_shade():
    schemes = list(palettes())
    assert len(schemes) == 2
    for colours in schemes:
        page, shade = colours["page"], colours["shade"]
        for ink in ("ink", "soft", "accent", "warn"):
            assert contrast(colours[ink], page) >= 4.5
            assert contrast(colours[ink], colours["panel"]) >= 4.5
        for share in np.linspace(0, colours["deepest"], 12):
            cell = tuple(share * s + (1 - share) * p for s, p in zip(shade, page, strict=True))
            assert contrast(colours["ink"], cell) >= 4.5
        for step in ("s0", "s1", "s2", "s3"):
            assert contrast(colours["ink"], colours[step]) >= 4.5
        assert contrast(colours["arc"], page) >= 3.0


def test_shades_can_be_told_apart_in_grey():
    for colours in palettes():
        greys = [luminance(colours[step]) for step in ("s0", "s1", "s2", "s3")]
        ordered = sorted(greys)
        assert greys in (ordered, ordered[::-1])
        assert all(high / low > 1.12 for low, high in pairwise([g + 0.05 for g in ordered]))


def rules_of(style: str) -> list[tuple[str, dict[str, str]]]:
    """The rules of a style sheet outside of every @media, in order: selectors, declarations."""
    found: list[tuple[str, dict[str, str]]] = []
    rest = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    while opened := re.search(r"([^{}]+)\{", rest):
        prelude, depth, end = " ".join(opened[1].split()), 1, opened.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(rest[end], 0)
            end += 1
        if not prelude.startswith("@"):
            said = re.findall(r"([\w-]+)\s*:([^;]+)", rest[opened.end() : end - 1])
            found.append((prelude, {name: " ".join(value.split()) for name, value in said}))
        rest = rest[end:]
    assert not rest.strip()
    return found


def conflicts(style: str) -> list[str]:
    """Selectors with two rules of their own, or with two values of one property."""
    rules = rules_of(style)
    alone = [prelude for prelude, _ in rules]
    found = [prelude for prelude in alone if alone.count(prelude) > 1]
    values = dict[tuple[str, str], str]()
    for prelude, said in rules:
        for selector in map(str.strip, prelude.split(",")):
            for name, value in said.items():
                if values.setdefault((selector, name), value) != value:
                    found.append(f"{selector} {{ {name} }}")
    return found


def test_no_selector_of_the_style_sheet_means_two_things():
    style = (files("tacit.reporting") / "templates" / "style.css").read_text()
    assert len(rules_of(style)) > 100
    assert conflicts(style) == []


def test_a_style_sheet_that_says_two_things_of_one_class_is_found_out():
    twice = ".key { color: red; }\n@media print { .key { gap: 1px; } }\n.key { width: 40px; }"
    assert conflicts(twice) == [".key", ".key"]
    assert conflicts(".a, .b { width: 1px; }\n.b { width: 2px; }") == [".b { width }"]
    assert conflicts(".a, .b { width: 1px; }\n.b { gap: 2px; } @media x { .b { gap: 0; } }") == []
