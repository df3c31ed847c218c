"use strict";
// Graphs on canvases: drawn with the coordinates of the report, moved with the mouse, enlarged with the wheel.
const KINDS = ["param", "constant", "operator", "call", "data", "control", "function", "result"];
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const canvasFor = (canvas) => {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  return [context, box.width, box.height];
};

// One graph. `report` is what readReport returns; `page` tells what is selected and shown, and selects what is clicked.
class GraphView {
  constructor(canvas, side, report, page) {
    Object.assign(this, {canvas, side, report, page, scale: 1, x: 0, y: 0, drag: null, moved: false});
    canvas.addEventListener("mousedown", (event) => { this.drag = [event.clientX, event.clientY]; this.moved = false; });
    window.addEventListener("mousemove", (event) => {
      if (!this.drag) return;
      const dx = event.clientX - this.drag[0], dy = event.clientY - this.drag[1];
      this.moved = this.moved || Math.abs(dx) + Math.abs(dy) > 3;
      if (!this.moved) return;
      this.x += dx; this.y += dy; this.drag = [event.clientX, event.clientY];
      this.draw();
    });
    window.addEventListener("mouseup", () => { this.drag = null; });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const factor = Math.exp(-event.deltaY * 0.0015), box = canvas.getBoundingClientRect();
      const px = event.clientX - box.left, py = event.clientY - box.top, scale = Math.min(4, Math.max(0.01, this.scale * factor));
      this.x = px - (px - this.x) * scale / this.scale;
      this.y = py - (py - this.y) * scale / this.scale;
      this.scale = scale;
      this.draw();
    }, {passive: false});
    canvas.addEventListener("click", (event) => {
      if (this.moved) return;
      const node = this.nodeAt(event);
      if (node < 0) return;
      const n = this.graph.nodes[node];
      if (n[6] >= 0 && n[6] !== undefined) this.page.select(n[6], n[7], this.side, true);
    });
    canvas.addEventListener("mousemove", (event) => {
      const node = this.drag ? -1 : this.nodeAt(event);
      if (node < 0) return this.page.hideTip();
      const n = this.graph.nodes[node];
      let text = this.report.string(n[0]) + (this.report.string(n[5]) ? "\n" + this.report.string(n[5]) : "");
      if (n[8]) text += "\n" + counted(n[8]) + " multiply-adds";
      if (n[6] >= 0) {
        const r = this.report.record(this.report.data.pieces[n[6]], n[7]);
        if (r.s !== undefined) text += "\nfrom " + this.report.string(r.s);
        if (KINDS[n[1]] === "operator") text += "\n" + this.report.withoutTypes(r.t).trim();
      }
      this.page.showTip(event, text);
    });
    canvas.addEventListener("mouseleave", () => this.page.hideTip());
  }
  show(version) {
    this.graph = this.report.data.versions[version].graph;
    this.most = Math.max(1, ...this.graph.nodes.map((n) => n[8] || 0));
    this.byLine = new Map();
    this.graph.nodes.forEach((n, i) => { if (n[6] >= 0) this.byLine.set(n[6] + ":" + n[7], i); });
  }
  // The whole width, from the top.
  start() {
    const box = this.canvas.getBoundingClientRect();
    this.scale = Math.min(1, Math.max(0.35, box.width / (this.graph.width + 10)));
    this.x = (box.width - this.graph.width * this.scale) / 2;
    this.y = 4;
  }
  fit() {
    const box = this.canvas.getBoundingClientRect();
    this.scale = Math.min(1, box.width / (this.graph.width + 20), box.height / (this.graph.height + 20));
    this.x = (box.width - this.graph.width * this.scale) / 2;
    this.y = (box.height - this.graph.height * this.scale) / 2;
    this.draw();
  }
  center(node) {
    const n = this.graph.nodes[node], box = this.canvas.getBoundingClientRect();
    this.scale = Math.max(this.scale, 0.6);
    this.x = box.width / 2 - (n[2] + n[4] / 2) * this.scale;
    this.y = box.height / 2 - (n[3] + 13) * this.scale;
  }
  // The node of a line: its own, that of the kernel around it, or of the kernel that it calls.
  nodeOf(p, line) {
    const piece = this.report.data.pieces[p];
    const at = (l) => { const found = this.byLine.get(p + ":" + l); return found === undefined ? -1 : found; };
    if (at(line) >= 0) return at(line);
    const indent = (l) => this.report.record(piece, l).i || 0;
    for (let l = line - 1, inner = indent(line); l >= 0; --l) {
      if (indent(l) >= inner) continue;
      inner = indent(l);
      if (at(l) >= 0 && this.report.record(piece, l).t.includes("fn (")) return at(l);
    }
    for (const number of this.report.numbers(piece, line).slice(this.report.record(piece, line).d ? 1 : 0)) {
      const definition = piece.defines.get(number);
      if (definition !== undefined && at(definition) >= 0) return at(definition);
    }
    return -1;
  }
  nodeAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.x) / this.scale, y = (event.clientY - box.top - this.y) / this.scale;
    return this.graph.nodes.findIndex((n) => x >= n[2] && x <= n[2] + n[4] && y >= n[3] && y <= n[3] + 26);
  }
  draw() {
    const [c, width, height] = canvasFor(this.canvas);
    if (width < 2) return;
    const dark = document.documentElement.classList.contains("dark");
    const g = this.graph, s = this.scale;
    const left = -this.x / s, top = -this.y / s, right = left + width / s, bottom = top + height / s;
    const sees = (x, y, w, h) => x < right && x + w > left && y < bottom && y + h > top;
    c.translate(this.x, this.y);
    c.scale(s, s);
    c.font = "12px ui-monospace, 'DejaVu Sans Mono', monospace";
    c.textAlign = "left";
    const texts = s > 0.35;
    for (const [label, x, y, w, h] of g.boxes) {
      if (!sees(x, y, w, h)) continue;
      c.fillStyle = color("panel"); c.strokeStyle = color("line"); c.lineWidth = 1;
      c.beginPath(); c.roundRect(x, y, w, h, 8); c.fill(); c.stroke();
      if (texts) { c.fillStyle = color("dim"); c.fillText(this.report.string(label), x + 10, y + 18, w - 16); }
    }
    c.strokeStyle = dark ? "#6e7681" : "#8c959f";
    c.lineWidth = 1;
    const chosen = this.page.selected() ? this.chosen() : -1;
    for (const thick of [false, true]) {
      c.beginPath();
      for (const edge of g.edges) {
        const a = g.nodes[edge[0]], b = g.nodes[edge[1]];
        if ((edge[0] === chosen || edge[1] === chosen) !== thick) continue;
        let x = a[2] + a[4] / 2, y = a[3] + 26;
        const points = [...edge.slice(2), b[2] + b[4] / 2, b[3]];
        const low = Math.min(y, b[3]), high = Math.max(y, b[3]);
        if (high < top || low > bottom) continue;
        c.moveTo(x, y);
        for (let i = 0; i < points.length; i += 2) {
          const middle = (y + points[i + 1]) / 2;
          if (s < 0.12) c.lineTo(points[i], points[i + 1]);
          else c.bezierCurveTo(x, middle, points[i], middle, points[i], points[i + 1]);
          x = points[i]; y = points[i + 1];
        }
      }
      if (thick) { c.strokeStyle = color("link"); c.lineWidth = 2; }
      c.stroke();
    }
    c.textAlign = "center";
    g.nodes.forEach((n, i) => {
      if (!sees(n[2] - 60, n[3], n[4] + 120, 44)) return;
      c.fillStyle = this.fill(n, dark);
      c.strokeStyle = i === chosen ? color("link") : this.border(n) || (dark ? "#6e7681" : "#8c959f");
      c.lineWidth = i === chosen ? 3 : this.border(n) ? 2 : 1;
      c.beginPath();
      c.roundRect(n[2], n[3], n[4], 26, KINDS[n[1]] === "param" || KINDS[n[1]] === "result" ? 13 : 4);
      c.fill(); c.stroke();
      if (!texts) return;
      c.fillStyle = n[8] && dark ? "#fff" : color("text");
      c.fillText(this.report.string(n[0]), n[2] + n[4] / 2, n[3] + 17, n[4] - 6);
    });
    if (s > 0.55) {
      c.font = "10px ui-monospace, 'DejaVu Sans Mono', monospace";
      const used = new Set(g.edges.map((edge) => edge[0]));
      g.nodes.forEach((n, i) => {
        if (!used.has(i) || !sees(n[2] - 60, n[3], n[4] + 120, 44)) return;
        c.lineWidth = 3; c.strokeStyle = color("panel"); c.fillStyle = color("dim");
        c.strokeText(this.report.string(n[5]), n[2] + n[4] / 2, n[3] + 38);
        c.fillText(this.report.string(n[5]), n[2] + n[4] / 2, n[3] + 38);
      });
    }
  }
  chosen() {
    const step = this.page.step(), version = this.side === "a" ? step.before : step.after;
    for (const [p] of this.report.data.versions[version].functions) {
      const line = this.report.lineOfTrack(this.report.data.pieces[p], this.page.selected().track);
      if (line >= 0) return this.nodeOf(p, line);
    }
    return -1;
  }
  fill(n, dark) {
    if (n[8]) {
      const part = Math.sqrt(n[8] / this.most);
      return dark ? `hsl(18 ${30 + 50 * part}% ${18 + 20 * part}%)` : `rgb(255 ${251 - 123 * part} ${221 - 141 * part})`;
    }
    const fills = dark ? ["#0c2d4d", "#21262d", "#2b2a1a", "#2b2a1a", "#161b22", "#3d2a14", "#2b1f3d", "#12361f"]
                       : ["#ddf4ff", "#eaeef2", "#fffbdd", "#fffbdd", "#ffffff", "#ffefe0", "#fbefff", "#dafbe1"];
    return fills[n[1]];
  }
  // Green for what the pass added, red for what it removed.
  border(n) {
    const step = this.page.step();
    if (!step.changed || n[6] === undefined || n[6] < 0) return "";
    const track = this.report.data.pieces[n[6]].track[n[7]];
    const other = this.report.data.versions[this.side === "a" ? step.after : step.before].functions;
    if (other.some(([p]) => this.report.lineOfTrack(this.report.data.pieces[p], track) >= 0)) return "";
    return color(this.side === "a" ? "bad" : "ok");
  }
}
