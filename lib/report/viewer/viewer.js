"use strict";
// Shows the data of a report. `showReport(data)` may be called with any document of that form.
function showReport(data) {
  const $ = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const escape = (text) => text.replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
  const ROW = 19;

  const report = readReport(data);
  const {record, numbers, string, origin, lineOfTrack, lineText, withoutTypes} = report;
  let showTypes = false;

  // ---- Steps: everything, then each pass ------------------------------------------------------------------------

  const last = data.versions.length - 1;
  const steps = [];
  if (data.passes.length !== 1)
    steps.push({name: "All passes", before: 0, after: last, changed: last > 0, whole: true, ms: data.passes.reduce((sum, pass) => sum + pass.ms, 0)});
  data.passes.forEach((pass) => steps.push(Object.assign({changed: pass.before !== pass.after}, pass)));
  if (steps.length === 0) steps.push({name: "The module", before: 0, after: 0, changed: false, whole: true, ms: 0});
  let current = Math.max(0, steps.findIndex((step) => step.error || (step.verdict && step.verdict.kind === "mismatch")));
  let showSame = false;
  // {track, piece, line, side} of the selected expression.
  let selected = null;
  let query = "", printing = false, lastHit = -1;

  // ---- Top ------------------------------------------------------------------------------------------------------

  const TILES = [["kernels", "kernels", counted], ["operators", "operators", counted], ["macs", "multiply-adds", counted],
                 ["parameters", "parameters", counted], ["weight_bytes", "weights", bytes],
                 ["activation_bytes", "activations", bytes], ["peak_activation_bytes", "peak memory", bytes]];
  const hasRelay = data.summary.before.layers.length + data.summary.after.layers.length > 0;
  const METRICS = [["macs", "multiply-adds", counted], ["weight_bytes", "weights", bytes], ["activation_bytes", "activations", bytes]];
  function showTop() {
    const name = data.input.replace(/.*\//, "");
    $("title").textContent = name === "-" ? "standard input" : name;
    document.title = name + " - relayopt report";
    $("command").textContent = data.command;
    $("command").title = data.command;
    const before = data.summary.before, after = data.summary.after;
    // Of ONNX models the nodes count, which the operators of Relay in between are not.
    if (data.nodes) [before.total.nodes, after.total.nodes] = data.nodes;
    const tiles = data.nodes ? [["nodes", "nodes", counted], ...TILES.slice(2)] : TILES;
    tiles.forEach(([key, label, text]) => {
      const a = before.total[key], b = after.total[key];
      if (a === undefined || !hasRelay) return;
      const tile = make("div", "tile");
      tile.append(make("small", "", label), make("b", "", text(a) === text(b) ? text(a) : text(a) + " → " + text(b)));
      if (text(a) !== text(b) && a > 0) {
        const percent = Math.round((b / a - 1) * 100);
        tile.append(make("i", b < a ? "better" : "worse", (percent > 0 ? "+" : percent < 0 ? "−" : "") + Math.abs(percent) + " %"));
      }
      $("tiles").append(tile);
    });
    const verdicts = data.passes.filter((pass) => pass.verdict);
    if (verdicts.length) {
      const bad = verdicts.filter((pass) => pass.verdict.kind === "mismatch").length;
      const good = verdicts.filter((pass) => pass.verdict.kind === "exact" || pass.verdict.kind === "close").length;
      const tile = make("div", "tile");
      tile.append(make("small", "", "validated passes"), make("b", bad ? "worse" : "better", bad ? bad + " wrong" : good + " right"));
      if (verdicts.length > good + bad) tile.append(make("i", "", verdicts.length - good - bad + " not run"));
      $("tiles").append(tile);
    }
    $("bars").hidden = !hasRelay;
    if (!hasRelay) $("bars").style.display = "none";
    METRICS.forEach(([key, label]) => $("metric").append(new Option(label, key)));
    const told = METRICS.find(([key]) => before.layers.some((layer) => layer[key] > 0));
    if (told) $("metric").value = told[0];
    if (data.finding) {
      $("finding").hidden = false;
      $("finding").textContent = data.finding;
    }
  }

  // Left of the bars, for their names.
  const BAR_LABEL = 46;
  function barsAt(x, width) {
    x = Math.max(0, x - BAR_LABEL);
    width -= BAR_LABEL;
    return ["before", "after"].map((side) => {
      const layers = data.summary[side].layers;
      return layers[Math.min(layers.length - 1, Math.floor(x / width * layers.length))];
    });
  }
  function drawBars() {
    if ($("bars").style.display === "none") return;
    const [context, width, height] = canvasFor($("chart"));
    const key = $("metric").value;
    const most = Math.max(1, ...["before", "after"].flatMap((side) => data.summary[side].layers.map((layer) => layer[key] || 0)));
    [["before", 0, color("dim")], ["after", 1, color("link")]].forEach(([side, row, fill]) => {
      const layers = data.summary[side].layers, step = (width - BAR_LABEL) / Math.max(1, layers.length), full = height / 2 - 3;
      context.fillStyle = color("line");
      context.fillRect(0, (row + 1) * height / 2 - 1, width, 1);
      context.fillStyle = fill;
      layers.forEach((layer, i) => {
        const h = full * (layer[key] || 0) / most;
        context.fillRect(BAR_LABEL + i * step, (row + 1) * height / 2 - 1 - h, Math.max(1, step - (step > 3 ? 1 : 0)), h);
      });
      context.fillStyle = color("dim");
      context.font = "11px system-ui, sans-serif";
      context.fillText(side, 2, (row + 1) * height / 2 - 4);
    });
  }

  // ---- Passes ---------------------------------------------------------------------------------------------------

  const effectText = (effect) => Object.entries(effect || {}).sort((a, b) => (b[0] === "kernels") - (a[0] === "kernels") || Math.abs(b[1]) - Math.abs(a[1]))
      .map(([name, delta]) => name + " " + (delta > 0 ? "+" : "−") + Math.abs(delta)).join(", ");
  function showPasses() {
    const nav = $("passes");
    nav.textContent = "";
    const slowest = Math.max(...data.passes.map((pass) => pass.ms), 1e-9);
    let hidden = 0;
    steps.forEach((step, i) => {
      if (!step.changed && !step.whole && !step.error && !showSame && i !== current) {
        ++hidden;
        return;
      }
      const element = make("div", "pass" + (i === current ? " on" : "") + (step.changed || step.whole ? "" : " same"));
      element.dataset.step = i;
      const name = make("div", "name");
      const words = make("b");
      step.name.split(/(?<=[a-z\d.])(?=[A-Z])/).forEach((word, at) => words.append(...(at ? [make("wbr")] : []), word));
      name.append(words, make("span", "ms", step.ms ? step.ms.toFixed(step.ms < 10 ? 2 : 0) + " ms" : ""));
      element.append(name);
      const what = make("div", "what");
      const badge = (kind, text, title) => {
        const made = make("span", "badge " + kind, text);
        made.title = title || "";
        what.append(made);
      };
      if (step.error) badge("bad", "failed", step.error);
      if (step.verdict) {
        const words = {exact: ["ok", "= same bits"], close: ["ok", "≈ same result"], mismatch: ["bad", "other result"], skipped: ["", "not compared"]}[step.verdict.kind];
        badge(words[0], words[1], step.verdict.text);
      }
      const passed = (step.remarks || []).filter((remark) => remark.kind === "passed").length;
      if (passed > 1) badge("", passed + " rewrites");
      what.append(step.whole ? (step.changed ? "input → result" : "nothing changed") : step.changed ? effectText(step.effect) || (hasRelay ? "changed, no operator more or less" : "changed") : "no change");
      element.append(what);
      if (!step.whole) {
        const bar = make("div", "bar");
        bar.style.width = 100 * step.ms / slowest + "%";
        if (step.ms > slowest / 100) element.append(bar);
      }
      nav.append(element);
    });
    if (hidden || showSame) {
      const more = make("div", "pass same", showSame ? "hide passes that changed nothing" : hidden + " passes changed nothing");
      more.dataset.more = 1;
      nav.append(more);
    }
    const on = nav.querySelector(".on");
    if (on) on.scrollIntoView({block: "nearest"});
  }

  // ---- The two modules side by side -----------------------------------------------------------------------------

  // {kind, a: [piece, base, line], b: ...}, or {fold: rows}
  let rows = [];
  let unfolded = new Set();
  function alignPieces(before, after, out) {
    const [p, pBase] = before || [-1, 0], [q, qBase] = after || [-1, 0];
    const a = p < 0 ? null : data.pieces[p], b = q < 0 ? null : data.pieces[q];
    let i = 0, j = 0;
    const change = (endA, endB) => {
      while (i < endA || j < endB) {
        const row = {kind: i < endA && j < endB ? "both" : i < endA ? "del" : "add"};
        if (i < endA) row.a = [p, pBase, i++];
        if (j < endB) row.b = [q, qBase, j++];
        out.push(row);
      }
    };
    if (a && b) {
      for (let line = 0; line < b.lines.length; ++line) {
        const other = p === q ? line : b.base === p ? b.from[line] : lineOfTrack(a, b.track[line]);
        if (other < i) continue;
        change(other, line);
        const edited = p !== q && (b.base === p ? b.edited[line] : withoutNumbers(a, other) !== withoutNumbers(b, line));
        out.push({kind: edited ? "mod" : "same", a: [p, pBase, i++], b: [q, qBase, j++]});
      }
    }
    change(a ? a.lines.length : 0, b ? b.lines.length : 0);
  }
  const withoutNumbers = (piece, line) => record(piece, line).t;
  function buildRows() {
    const step = steps[current];
    const of = (version) => new Map(data.versions[version].functions.map(([piece, first]) => [data.pieces[piece].name, [piece, first]]));
    const before = of(step.before), after = of(step.after);
    const all = [];
    [...new Set([...before.keys(), ...after.keys()])].sort().forEach((name) => {
      if (all.length) all.push({kind: "same"});
      alignPieces(before.get(name), after.get(name), all);
    });
    const near = 3;
    const keep = new Uint8Array(all.length);
    const differs = all.some((row) => row.kind !== "same");
    all.forEach((row, i) => {
      if (row.kind === "same" && differs) return;
      for (let k = Math.max(0, i - near); k <= Math.min(all.length - 1, i + near); ++k) keep[k] = 1;
    });
    rows = [];
    for (let i = 0; i < all.length;) {
      let end = i;
      while (end < all.length && !keep[end]) ++end;
      if (end - i > 2 && !unfolded.has(i)) rows.push({fold: end - i, at: i});
      else for (let k = i; k < end; ++k) rows.push(all[k]);
      if (end === i) rows.push(all[end++]);
      i = end;
    }
    $("rows").style.height = rows.length * ROW + "px";
  }
  function highlight(text) {
    return escape(text).replace(/(\/\*.*?\*\/)|(&quot;.*?&quot;)|(%[\w.]+)|\b(let|fn|def|if|else|match|for|in|with|while|class|return)\b|([A-Za-z_][\w.]*)(?=\()/g,
      (whole, comment, quoted, variable, keyword, call) =>
        comment ? `<span class="k">${whole}</span>` : quoted ? `<span class="s">${whole}</span>` : variable ? `<span class="n">${whole}</span>`
        : keyword ? `<span class="k">${whole}</span>` : `<span class="op">${whole}</span>`);
  }
  function cell(side, place) {
    if (!place) return '<div class="cell none"></div>';
    const [p, base, line] = place, piece = data.pieces[p];
    const track = piece.track[line];
    const text = lineText(piece, base, line, showTypes);
    const isKin = selected && selected.kin.size && origin(p, line).sources.some((source) => selected.kin.has(source));
    const {verdict} = steps[current];
    const parts = verdict && verdict.parts && verdict.parts[side === "a" ? "before" : "after"];
    const apart = parts && parts[0] === p && parts[1] === line ? " apart" : "";
    const chosen = selected && track === selected.track ? " sel" : isKin ? " kin" : "";
    const hit = query && text.toLowerCase().includes(query) ? " hit" : "";
    return `<div class="cell ${side}${apart}${chosen}${hit}" data-p="${p}" data-l="${line}" data-s="${side}">${highlight(text)}</div>`;
  }
  function drawRows() {
    const view = $("code"), first = Math.max(0, Math.floor(view.scrollTop / ROW) - 10);
    const end = printing ? rows.length : Math.min(rows.length, Math.ceil((view.scrollTop + view.clientHeight) / ROW) + 10);
    let html = "";
    for (let i = printing ? 0 : first; i < end; ++i) {
      const row = rows[i];
      const inside = row.fold ? `<div class="fold" data-fold="${row.at}">⋯ ${row.fold} unchanged lines</div>` : cell("a", row.a) + cell("b", row.b);
      html += `<div class="row ${row.kind || ""}" style="top:${i * ROW}px">${inside}</div>`;
    }
    $("rows").innerHTML = html;
  }
  function scrollToRow(i) {
    const view = $("code");
    if (i * ROW < view.scrollTop || (i + 2) * ROW > view.scrollTop + view.clientHeight) view.scrollTop = Math.max(0, i * ROW - view.clientHeight / 3);
    drawRows();
  }
  // The row of a place on a side, unfolding what hides it; -1 when the function is not there.
  function rowOf(side, p, line) {
    for (let round = 0; round < 2; ++round) {
      const found = rows.findIndex((row) => row[side] && row[side][0] === p && row[side][2] === line);
      if (found >= 0 || round) return found;
      const step = steps[current];
      if (!data.versions[side === "a" ? step.before : step.after].functions.some(([piece]) => piece === p)) return -1;
      rows.forEach((row) => row.fold && unfolded.add(row.at));
      buildRows();
    }
    return -1;
  }

  // ---- Graphs ---------------------------------------------------------------------------------------------------

  const page = {selected: () => selected, step: () => steps[current], select, showTip, hideTip};
  const views = [new GraphView($("graphbefore"), "a", report, page), new GraphView($("graphafter"), "b", report, page)];

  function showTip(event, text) {
    $("tip").hidden = false;
    $("tip").textContent = text;
    $("tip").style.left = Math.min(event.clientX + 14, window.innerWidth - 300) + "px";
    $("tip").style.top = Math.min(event.clientY + 14, window.innerHeight - $("tip").offsetHeight - 8) + "px";
  }
  function hideTip() { $("tip").hidden = true; }

  // ---- Details --------------------------------------------------------------------------------------------------

  // Where an expression is in each version: {version, p, base, line}.
  const sightings = (track) => data.versions.map((version, i) => {
    for (const [p, base] of version.functions) {
      const line = lineOfTrack(data.pieces[p], track);
      if (line >= 0) return {version: i, p, base, line};
    }
    return null;
  });
  function showOrigin(aside, {sources, runs, more}) {
    if (!sources.length) return;
    aside.append(make("h3", "", "came from"));
    sources.slice(0, 40).forEach((number) => {
      const [name, layer, line, p, at] = data.sources[number];
      const element = make("div", "source");
      element.append(make("b", "", string(name)));
      element.append(make("span", "k", layer >= 0 ? " " + string(layer) : line ? " line " + line : ""));
      element.onclick = () => { go(0); if (at >= 0) select(p, at, "a", true); };
      aside.append(element);
    });
    if (more || sources.length > 40) aside.append(make("div", "k", "and more"));
    const names = [...new Set(runs.map((run) => data.passes.find((pass) => pass.number === data.runs[run])).filter(Boolean).map((pass) => pass.name))];
    if (names.length) aside.append(make("div", "k", "through " + names.join(", ")));
  }
  function showDetail() {
    const aside = $("detail"), step = steps[current];
    aside.textContent = "";
    if (selected) {
      const seen = sightings(selected.track), here = seen.find((place) => place && place.p === selected.p) || seen.find(Boolean);
      const r = record(data.pieces[here.p], here.line);
      aside.append(make("h2", "", r.o !== undefined ? string(r.o) : "expression"));
      aside.append(make("code", "", lineText(data.pieces[here.p], here.base, here.line, true).trim()));
      const facts = make("dl");
      const fact = (name, value) => value !== undefined && value !== "" && facts.append(make("dt", "", name), make("dd", "", value));
      fact("type", string(r.y));
      fact("multiply-adds", r.m && counted(r.m));
      fact("layer", string(r.s));
      const first = seen.find(Boolean);
      const line = record(data.pieces[first.p], first.line).l;
      fact("input line", line && String(line));
      fact("made by", seen[0] ? "" : (data.passes.find((pass) => pass.after === first.version && pass.before !== pass.after) || {name: ""}).name);
      aside.append(facts);
      showOrigin(aside, origin(selected.p, selected.line));
      aside.append(make("h3", "", "in every pass"));
      seen.forEach((place, version) => {
        const pass = data.passes.find((p) => p.after === version && p.before !== version);
        const before = version ? seen[version - 1] : null;
        const name = version === 0 ? "input" : pass ? pass.name : "";
        if (!place && !before) return;
        const same = place && before && place.p === before.p && place.line === before.line;
        const edited = place && before && !same && withoutNumbers(data.pieces[place.p], place.line) !== withoutNumbers(data.pieces[before.p], before.line);
        if (place && before && !edited) return;
        const element = make("div", "seen " + (place ? "changed" : "gone"));
        element.append(make("b", "", name + (place ? version && !before ? ": made here" : "" : ": gone, or part of something else")));
        if (place) element.append(make("code", "", lineText(data.pieces[place.p], place.base, place.line, false).trim()));
        const target = steps.findIndex((s) => !s.whole && s.after === version && s.changed);
        element.onclick = () => { if (target >= 0) go(target); if (place && version) select(place.p, place.line, "b", true); };
        aside.append(element);
      });
      return;
    }
    aside.append(make("h2", "", step.name));
    const facts = make("dl");
    const fact = (name, value) => value && facts.append(make("dt", "", name), make("dd", "", value));
    if (!step.whole) fact("run", "#" + step.number);
    fact("time", step.ms ? step.ms.toFixed(2) + " ms" : "");
    fact("effect", effectText(step.effect));
    if (step.verdict) fact("validation", {exact: "same bits", close: "same result up to rounding", mismatch: "another result", skipped: "not compared"}[step.verdict.kind] + (step.verdict.text ? ": " + step.verdict.text : ""));
    if (step.verdict && step.verdict.parts) {
      const {text, before, after} = step.verdict.parts;
      const element = make("dd", "parts", text);
      element.onclick = () => select(after[0], after[1], "b", true);
      facts.append(make("dt", "", "values part at"), element);
    }
    fact("error", step.error);
    if (step.whole) fact("pipeline", data.pipeline);
    aside.append(facts);
    if (step.remarks) {
      aside.append(make("h3", "", step.remarks.length + (step.remarks.length === 1 ? " remark" : " remarks")));
      // Remarks of the same words are one, with their lines.
      const groups = new Map();
      step.remarks.forEach((remark) => {
        const key = remark.kind + remark.text;
        if (!groups.has(key)) groups.set(key, {remark, count: 0, lines: []});
        const group = groups.get(key);
        ++group.count;
        if (remark.line) group.lines.push(remark.line);
      });
      [...groups.values()].slice(0, 200).forEach(({remark, count, lines}) => {
        const element = make("div", "remark " + remark.kind, remark.text);
        if (count > 1) element.append(make("b", "", "  × " + count));
        if (lines.length) element.append(make("div", "k", (lines.length > 1 ? "lines " : "line ") + [...new Set(lines)].slice(0, 12).join(", ") + (lines.length > 12 ? " …" : "")));
        element.title = remark.function;
        aside.append(element);
      });
    }
    if (!step.remarks) aside.append(make("p", "k", "Click an expression or a node to see it in every pass. Press ? for keys."));
  }

  // ---- What the user does ---------------------------------------------------------------------------------------

  function go(step) {
    if (step < 0 || step >= steps.length) return;
    current = step;
    unfolded = new Set();
    const {before, after, name} = steps[current];
    $("headbefore").textContent = "before " + (steps[current].whole ? "all passes" : name);
    $("headafter").textContent = "after " + (steps[current].whole ? "all passes" : name);
    showPasses();
    buildRows();
    views[0].show(before);
    views[1].show(after);
    views.forEach((view) => view.start());
    const first = rows.findIndex((row) => row.kind && row.kind !== "same");
    $("code").scrollTop = Math.max(0, (first - 4) * ROW);
    refresh();
    parted();
  }
  // Shows where values part, without selecting it: the details explain the pass.
  function parted() {
    const {verdict} = steps[current];
    if (!verdict || !verdict.parts) return;
    const row = rowOf("b", verdict.parts.after[0], verdict.parts.after[1]);
    if (row >= 0) scrollToRow(row);
  }
  function refresh() {
    drawRows();
    views.forEach((view) => view.draw());
    showDetail();
  }
  function select(p, line, side, scroll) {
    selected = {track: data.pieces[p].track[line], p, line, side, kin: new Set(origin(p, line).sources)};
    const row = rowOf(side, p, line);
    if (scroll && row >= 0) scrollToRow(row);
    views.forEach((view) => { const node = view.chosen(); if (node >= 0) view.center(node); });
    refresh();
  }
  // The next row with the text; in other passes when this one has none.
  function findNext(from) {
    if (!query) return;
    const matches = (place) => place && lineText(data.pieces[place[0]], place[1], place[2], showTypes).toLowerCase().includes(query);
    if (rows.some((row) => row.fold)) { rows.forEach((row) => row.fold && unfolded.add(row.at)); buildRows(); }
    const hits = rows.map((row, i) => (matches(row.a) || matches(row.b) ? i : -1)).filter((i) => i >= 0);
    $("found").textContent = hits.length ? hits.length + " found" : "none";
    const hit = hits.find((i) => i > from) ?? hits[0];
    if (hit === undefined) return drawRows();
    lastHit = hit;
    const side = matches(rows[hit].b) ? "b" : "a", place = rows[hit][side];
    select(place[0], place[2], side, true);
  }
  function nextChange(direction) {
    const top = Math.round($("code").scrollTop / ROW) + 4;
    const starts = rows.map((row, i) => (row.kind && row.kind !== "same" && !(i && rows[i - 1].kind && rows[i - 1].kind !== "same") ? i : -1)).filter((i) => i >= 0);
    const next = direction > 0 ? starts.find((i) => i > top) : starts.reverse().find((i) => i < top);
    if (next !== undefined) $("code").scrollTop = (next - 4) * ROW;
  }
  function moduleText(version) {
    return data.versions[version].functions.map(([p, base]) => data.pieces[p].lines.map((_, line) => lineText(data.pieces[p], base, line, true)).join("\n")).join("\n\n") + "\n";
  }
  function save() {
    const link = make("a"), step = steps[current];
    link.href = URL.createObjectURL(new Blob([moduleText(step.after)], {type: "text/plain"}));
    link.download = $("title").textContent.replace(/\.\w+$/, "") + "-" + step.name.replace(/\W+/g, "-") + ".txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  const layouts = ["", "text", "graph"];
  const actions = {
    ArrowDown: () => move(1), ArrowUp: () => move(-1), ArrowRight: () => nextChange(1), ArrowLeft: () => nextChange(-1),
    "/": () => $("search").focus(),
    t: () => { showTypes = !showTypes; drawRows(); },
    g: () => {
      const work = $("work"), next = layouts[(layouts.indexOf(work.className) + 1) % layouts.length];
      work.className = next;
      views.forEach((view) => view.start());
      refresh();
    },
    f: () => views.forEach((view) => view.fit()),
    a: () => { showSame = !showSame; showPasses(); },
    d: () => { document.documentElement.classList.toggle("dark"); drawBars(); refresh(); },
    "?": () => $("keys").showModal(),
    Escape: () => { query = ""; $("search").value = ""; $("found").textContent = ""; $("search").blur(); selected = null; refresh(); },
  };
  function move(direction) {
    let next = current + direction;
    while (next >= 0 && next < steps.length && !showSame && !steps[next].changed && !steps[next].whole && !steps[next].error) next += direction;
    selected = null;
    go(next);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    if (event.target === $("search")) {
      if (event.key === "Enter") findNext(lastHit);
      else if (event.key === "Escape") actions.Escape();
      return;
    }
    if (event.target === $("metric") || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  $("search").addEventListener("input", () => { query = $("search").value.toLowerCase(); if (query) findNext(-1); else { $("found").textContent = ""; drawRows(); } });
  for (const [id, key] of [["types", "t"], ["layout", "g"], ["theme", "d"], ["help", "?"]]) $(id).onclick = () => actions[key]();
  $("save").onclick = save;
  $("metric").onchange = drawBars;
  $("keys").onclick = () => $("keys").close();
  $("passes").addEventListener("click", (event) => {
    const element = event.target.closest(".pass");
    if (!element) return;
    if (element.dataset.more) return actions.a();
    selected = null;
    go(Number(element.dataset.step));
  });
  $("code").addEventListener("scroll", drawRows);
  $("rows").addEventListener("click", (event) => {
    const fold = event.target.closest(".fold");
    if (fold) { unfolded.add(Number(fold.dataset.fold)); buildRows(); return drawRows(); }
    const element = event.target.closest(".cell[data-l]");
    if (element) select(Number(element.dataset.p), Number(element.dataset.l), element.dataset.s, false);
  });
  $("chart").addEventListener("mousemove", (event) => {
    const box = $("chart").getBoundingClientRect(), text = METRICS.find(([key]) => key === $("metric").value)[2];
    const [before, after] = barsAt(event.clientX - box.left, box.width);
    const layer = event.clientY - box.top < box.height / 2 ? before : after;
    if (layer) $("bartext").textContent = `${layer.source || layer.name}: ${text(layer[$("metric").value] || 0)}`;
  });
  window.addEventListener("resize", () => { drawBars(); refresh(); });
  window.addEventListener("beforeprint", () => { printing = true; $("code").style.height = rows.length * ROW + "px"; drawRows(); });
  window.addEventListener("afterprint", () => { printing = false; $("code").style.height = ""; drawRows(); });
  if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
  showTop();
  go(current);
  drawBars();
}
{
  const element = document.getElementById("data");
  if (element && element.textContent.trim().startsWith("{")) showReport(JSON.parse(element.textContent));
}
