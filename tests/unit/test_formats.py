"""What each file format means: hand-written files whose tables are known."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import tacit as tc
from tacit.io.bif import read_bif, write_bif
from tacit.io.dsc import read_dsc
from tacit.io.formats import is_dag_file, is_network_file, read_dag, read_noted
from tacit.io.hugin import read_net, write_net
from tacit.io.uai import read_uai
from tacit.io.xdsl import read_xdsl
from tacit.io.xmlbif import read_xmlbif
from tacit.io.xmlsafe import parse_xml

ROWS = np.array([[[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]]])
"""P(C | A, B) with A of two states and B of three, in every example below."""

BIF = """
// comments of both kinds may stand anywhere
network "an example" { property "position = (1; 2)"; }
variable A { type discrete [ 2 ] { <5, >=7.5 }; property weight = 3; }
variable "B b" /* quoted */ { property "none"; type discrete[3] { "x y", 12+ Asy/Patch }; }
variable C { type discrete[ 2 ] { Transp., 5-12 } }
probability ( A ) { table 0.5 0.5; }
probability ( "B b" ) { table 0.25, 0.25, /* half */ 0.5; // done
}
"""


def test_a_bif_table_lists_the_child_slowest_and_the_last_parent_fastest() -> None:
    listed = " ".join(map(str, np.moveaxis(ROWS, -1, 0).ravel()))
    network, _ = read_bif(BIF + f'probability (C | A, "B b") {{ table {listed}; }}', "f")
    assert network["C"].parents == ("A", "B b")
    assert_array_equal(network["C"].values, ROWS)


def test_bif_rows_come_in_any_order_with_bare_and_quoted_states() -> None:
    rows = """(>=7.5, "x y") 0.4, 0.6; (>=7.5, 12+) 0.5 0.5; (>=7.5, Asy/Patch) .6 .4;
      (<5, "Asy/Patch") 3e-1, 7e-1; property "p"; (<5, 12+) 0.2, 0.8; (<5, "x y") 0.1, 0.9;"""
    network, notes = read_bif(BIF + f'probability (C | A, "B b") {{ {rows} }}', "f")
    assert_array_equal(network["C"].values, ROWS)
    assert network["A"].states["A"] == ("<5", ">=7.5")
    assert network["C"].states["B b"] == ("x y", "12+", "Asy/Patch")
    assert notes == ()


def test_the_bif_of_java_bayes_has_no_bar() -> None:
    text = """network "Dog" { //2 variables\n}
    variable "family-out" { type discrete[2] { "true" "false" }; property "position = (1, 2)" ; }
    variable "light-on" { type discrete[2] { "true" "false" }; }
    probability ( "family-out" ) { //1 variable(s)
      table 0.15 // p(true)
      0.85; }
    probability ( "light-on" "family-out" ) { table 0.6 0.05 0.4 0.95; }"""
    network, _ = read_bif(text, "f")
    assert_array_equal(network["light-on"].values, [[0.6, 0.4], [0.05, 0.95]])


def test_a_bif_default_fills_the_rows_that_are_not_listed() -> None:
    rows = "default 0.3, 0.7; (>=7.5, 12+) 0.5, 0.5;"
    network, _ = read_bif(BIF + f'probability (C | A, "B b") {{ {rows} }}', "f")
    values = np.broadcast_to([0.3, 0.7], (2, 3, 2)).copy()
    values[1, 1] = 0.5
    assert_array_equal(network["C"].values, values)


def test_bif_keeps_names_bare_that_read_back_as_one_word() -> None:
    child = tc.Discrete("child", ("<5", "Asy/Patch", "a b", 'say "no"', "x//y", "1", "back\\"))
    text = write_bif(tc.Network.of([tc.table(child, [], [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4])]))
    assert '{ <5, Asy/Patch, "a b", "say \\"no\\"", "x//y", 1, back\\ }' in text


def test_net_data_has_the_first_parent_slowest_and_the_child_fastest() -> None:
    text = """
    net { name = "example; with a semicolon"; node_size = (80 40); }
    discrete node A { states = ("a0" "a1"); position = (1 2); HR_Desc = "of { braces"; }
    node B { label = "B"; states = (b0 b1 b2); }
    node C { states = ("c 0" "c\\"1"); }
    potential (A) { data = (0.5 0.5); }
    potential (B | ) { data = ( 0.25 0.25 0.5 ); }
    potential (C | A B) {
      data = (((0.1 0.9) % a0 b0
               (0.2 0.8)(0.3 0.7)) ((0.4 0.6)(0.5 0.5)(0.6 0.4)));
      experience = ((1 1 1)(1 1 1));
    }"""
    network, _ = read_net(text, "f")
    assert_array_equal(network["C"].values, ROWS)
    assert network["C"].states["C"] == ("c 0", 'c"1')


def test_net_parentheses_nest_as_the_parents_do() -> None:
    a, b, c = (tc.Discrete(name, tuple(f"s{at}" for at in range(size)))
               for name, size in (("A", 2), ("B", 3), ("C", 2)))  # fmt: skip
    network = tc.Network.of(
        [tc.table(a, [], [0.5, 0.5]), tc.table(b, [], [0.25, 0.25, 0.5]), tc.table(c, [a, b], ROWS)]
    )
    written = "".join(write_net(network).split())
    assert "data=(((0.10.9)(0.20.8)(0.30.7))((0.40.6)(0.50.5)(0.60.4)));" in written
    assert "data=(0.50.5);" in written


def test_dsc_rows_name_the_positions_of_the_parents_states() -> None:
    text = """
    belief network "example"
    properties { type foo = string; }
    node A { name: "the first; really"; type: discrete[2] { "a0", "a1" }; position: (1, 2); }
    node B { type : discrete [ 3 ] = { "b0", "b1", "b2" }; }
    node C { type is discrete [2] = { "c0", "c1" }; }
    probability (A) { 0.5, 0.5; }
    probability (B) { 0.25, 0.25, 0.5; }
    probability (C | A, B) {
      (0, 0) : 0.1, 0.9;  (1, 0) : 0.4, 0.6;  (1, 1) : 0.5, 0.5;
      (0, 1) : 0.2, 0.8;  (1, "b2") : 0.6, 0.4;  default : 0.3, 0.7;
    }"""
    network, _ = read_dsc(text, "f")
    assert_array_equal(network["C"].values, ROWS)


def test_uai_tables_have_the_child_last_and_the_last_variable_fastest() -> None:
    numbers = " ".join(map(str, ROWS.ravel()))
    text = f"BAYES 3  2 3 2  3  1 0 # A\n 1 1\n 3 0 1 2\n 2 0.5 0.5  3 .25 .25 .5  12 {numbers}"
    network, _ = read_uai(text, "f")
    assert network["X2"].parents == ("X0", "X1")
    assert network["X2"].states["X1"] == ("0", "1", "2")
    assert_array_equal(network["X2"].values, ROWS)


def xmlbif(numbers: str) -> str:
    return f"""<?xml version="1.0"?>
    <!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
    <BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
    <VARIABLE TYPE="nature"><NAME> A </NAME><OUTCOME>a &lt; 5</OUTCOME><OUTCOME>b</OUTCOME>
      <PROPERTY>position = (1, 2)</PROPERTY></VARIABLE>
    <VARIABLE><NAME>B</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME><OUTCOME>2</OUTCOME></VARIABLE>
    <DEFINITION><FOR>A</FOR><TABLE>0.5 <!-- half --> 0.5</TABLE></DEFINITION>
    <DEFINITION><FOR>C</FOR><GIVEN>A</GIVEN><GIVEN>B</GIVEN><TABLE>{numbers}</TABLE></DEFINITION>
    <DEFINITION><FOR>B</FOR><TABLE>0.25 0.25 0.5</TABLE></DEFINITION>
    <VARIABLE TYPE="nature"><NAME>C</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
    </NETWORK></BIF>"""


def test_an_xmlbif_table_has_the_first_given_slowest() -> None:
    document = parse_xml(xmlbif(" ".join(map(str, ROWS.ravel()))), "f")
    network, _ = read_xmlbif(document)
    assert_array_equal(network["C"].values, ROWS)
    assert network["A"].states["A"] == ("a < 5", "b")


def test_xdsl_probabilities_have_the_first_parent_slowest() -> None:
    numbers = " ".join(map(str, ROWS.ravel()))
    text = f"""<?xml version="1.0" encoding="ISO-8859-1"?>
    <smile version="1.0" id="n" numsamples="1000">
      <nodes>
        <cpt id="C"><state id="c0"/><state id="c1"/><parents>A B</parents>
          <probabilities>{numbers}</probabilities></cpt>
        <cpt id="A" diagtype="observation"><state id="a0" label="F3"/><state id="a1"/>
          <probabilities>0.5 0.5</probabilities><property id="note">x</property></cpt>
        <cpt id="B"><state id="b0"/><state id="b1"/><state id="b2"/>
          <probabilities>0.25 0.25 0.5</probabilities></cpt>
        <deterministic id="D"><state id="low"/><state id="high"/><parents>A B</parents>
          <resultingstates>low low high high low high</resultingstates></deterministic>
      </nodes>
      <extensions><genie version="1.0"><node id="A"><name>Alpha</name></node></genie></extensions>
    </smile>"""
    network, _ = read_xdsl(parse_xml(text, "f"))
    assert_array_equal(network["C"].values, ROWS)
    low = np.array([[1, 1, 0], [0, 1, 0]])
    assert_array_equal(network["D"].values, np.stack([low, 1 - low], axis=-1))


def test_xml_files_are_told_apart_by_their_first_element(tmp_path: Path) -> None:
    path = tmp_path / "network.xdsl"
    tc.write(tc.textbook("asia"), path)
    path.rename(tmp_path / "network.xml")
    assert tc.read(tmp_path / "network.xml") == tc.textbook("asia")


def test_a_dag_file_holds_a_structure_without_numbers(tmp_path: Path) -> None:
    path = tmp_path / "clinic.dag"
    path.write_text("# who depends on whom\nSmoker, Genes -> Cancer\nCancer -> Xray\n")
    assert read_dag(path) == tc.Dag.parse("Smoker -> Cancer <- Genes; Cancer -> Xray")
    with pytest.raises(tc.FormatError, match="holds a structure without numbers"):
        tc.read(path)
    path.write_text("A -> B -> A")
    with pytest.raises(tc.CycleError, match=r"clinic\.dag: the arcs form a cycle: "):
        read_dag(path)


@pytest.mark.parametrize(
    ("text", "whether"),
    [
        ("net.bif", True),
        ("folder/x.XDSL.gz", True),
        ("x.dag", True),
        ("A -> B.net", False),
        ("A; B", False),
        ("A -> B", False),
        ("cases.csv", False),
    ],
)
def test_a_text_is_a_file_if_it_ends_in_a_known_suffix(text: str, whether: bool) -> None:
    assert is_network_file(text) == whether
    assert is_dag_file("x.dag.gz")


def test_read_tells_the_log_what_it_rescaled(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.bif"
    path.write_text("network x {} variable A { type discrete [2] {a, b}; }"
                    "probability (A) { table 0.3333333, 0.6666666; }")  # fmt: skip
    with caplog.at_level(logging.INFO, logger="tacit"):
        network = tc.read(path)
    assert caplog.messages == list(read_noted(path)[1])
    assert network["A"].values.sum() == 1


def test_thirds_to_six_digits_are_rounded_not_wrong() -> None:
    text = "BAYES 1 3 1 1 0 3 0.333333 0.333333 0.333333"
    network, notes = read_uai(text, "f")
    assert_array_equal(network["X0"].values, np.full(3, 1 / 3))
    assert notes == ("f: 1 row of 'X0' was rescaled to add up to 1; it was off by at most 1e-06",)


def test_rows_that_a_table_takes_as_they_are_keep_their_bits() -> None:
    axis = tc.Discrete("A", ("a", "b"))
    network = tc.Network.of([tc.table(axis, [], [0.5, 0.5 + 9e-10])])
    again, notes = read_bif(write_bif(network), "f")
    assert again == network
    assert notes == ()


def test_classic_networks_survive_every_format_that_can_hold_them(
    example_models: Path, tmp_path: Path
) -> None:
    for name in ("child", "hailfinder", "hepar2"):
        network = tc.read(example_models / f"{name}.bif.gz")
        for suffix in (".bif.gz", ".xmlbif", ".net", ".dsc", ".json"):
            tc.write(network, tmp_path / f"network{suffix}")
            assert tc.read(tmp_path / f"network{suffix}") == network


def test_child_has_its_odd_states(example_models: Path) -> None:
    child = tc.read(example_models / "child.bif.gz")
    assert child["CO2Report"].states["CO2Report"] == ("<7.5", ">=7.5")
    assert child["LowerBodyO2"].states["LowerBodyO2"] == ("<5", "5-12", "12+")
    assert "Asy/Patch" in child["ChestXray"].states["ChestXray"]
    assert child.free_parameters == 230
