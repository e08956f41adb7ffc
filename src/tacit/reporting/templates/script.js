(function () {
  "use strict";
  var all = function (what, within) { return Array.from((within || document).querySelectorAll(what)); };

  function reveal() {
    var at = location.hash && document.getElementById(location.hash.slice(1));
    var fold = at && at.closest("details");
    if (fold) { fold.open = true; fold.hidden = false; at.scrollIntoView(); }
  }
  addEventListener("hashchange", reveal);
  reveal();

  var tables = all("details.table");
  if (tables.length > 5) {
    var tools = document.createElement("div");
    tools.className = "tools";
    var find = document.createElement("input");
    find.type = "search";
    find.placeholder = "Find a variable";
    find.setAttribute("aria-label", "Find a variable by name");
    find.addEventListener("input", function () {
      var wanted = find.value.toLowerCase();
      tables.forEach(function (fold) {
        var name = fold.querySelector("summary .name").textContent.toLowerCase();
        fold.hidden = name.indexOf(wanted) < 0;
      });
    });
    var button = function (label, open) {
      var made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.addEventListener("click", function () { tables.forEach(function (f) { f.open = open; }); });
      return made;
    };
    tools.append(find, button("Unfold all", true), button("Fold all", false));
    tables[0].before(tools);
  }

  function size(text) {
    var number = parseFloat(text.replace(/,/g, ""));
    return isNaN(number) ? -Infinity : number;
  }

  all("table.sortable").forEach(function (table) {
    all("thead th", table).forEach(function (head, column) {
      var made = document.createElement("button");
      made.type = "button";
      made.textContent = "\u2195";
      made.setAttribute("aria-label", "Sort by " + head.textContent);
      head.append(made);
      made.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") !== "descending";
        all("thead th", table).forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        var rows = all("tbody tr", table).sort(function (a, b) {
          var x = a.children[column].textContent, y = b.children[column].textContent;
          var order = head.className === "number" ? size(x) - size(y) : x.localeCompare(y);
          return down ? -order : order;
        });
        table.tBodies[0].append.apply(table.tBodies[0], rows);
      });
    });
  });

  all("svg.drawing a").forEach(function (box) {
    var picture = box.closest("svg");
    var light = function (on) {
      picture.classList.toggle("dim", on);
      all(".e" + box.dataset.v, picture).forEach(function (arc) { arc.classList.toggle("lit", on); });
    };
    box.addEventListener("mouseenter", function () { light(true); });
    box.addEventListener("mouseleave", function () { light(false); });
  });

  if (document.body.classList.contains("print-all")) {
    var opened = [];
    addEventListener("beforeprint", function () {
      opened = all("details:not([open])");
      opened.forEach(function (fold) { fold.open = true; });
    });
    addEventListener("afterprint", function () { opened.forEach(function (fold) { fold.open = false; }); });
  }
})();
