"use strict";
// The modules of a report: pieces of text, their lines and what corresponds to what. Nothing here is drawn.
//
// A record is the text and the facts of a line; lines that are equal up to the numbers in them share one. A track is
// what corresponds from piece to piece, so that an expression can be followed through all versions.
const counted = (value) => {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e4]])
    if (value >= size) return (value / (unit === "k" ? 1e3 : size)).toFixed(1) + " " + unit;
  return String(value);
};
const bytes = (value) => {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
    if (value >= size) return (value / size).toFixed(1) + " " + unit;
  return value + " B";
};

// Returns functions that look at the data, after giving each line of each piece its track.
function readReport(data) {
  const record = (piece, line) => {
    const entry = piece.lines[line];
    return data.records[typeof entry === "number" ? entry : entry[0]];
  };
  const numbers = (piece, line) => {
    const entry = piece.lines[line];
    return typeof entry === "number" ? [] : entry.slice(1);
  };
  const string = (index) => (index === undefined ? "" : data.strings[index]);
  // Where a line came from: the operators of the input, and the runs of passes that made it.
  const origin = (p, line) => {
    const piece = data.pieces[p];
    const [sources, runs, more] = piece.origins ? data.origins[piece.origins[line]] : [[], []];
    return {sources, runs, more};
  };
  // What corresponds from piece to piece is one track: [piece][line] -> track.
  let trackCount = 0;
  data.pieces.forEach((piece) => {
    piece.track = new Int32Array(piece.lines.length).fill(-1);
    piece.from = new Int32Array(piece.lines.length).fill(-1);
    piece.edited = new Uint8Array(piece.lines.length);
    for (const [line, before, count, changed] of piece.runs || []) {
      for (let i = 0; i < count; ++i) {
        piece.from[line + i] = before + i;
        piece.track[line + i] = data.pieces[piece.base].track[before + i];
        piece.edited[line + i] = changed;
      }
    }
    for (let i = 0; i < piece.lines.length; ++i) if (piece.track[i] < 0) piece.track[i] = trackCount++;
    piece.defines = new Map();
    for (let i = 0; i < piece.lines.length; ++i) if (record(piece, i).d) piece.defines.set(numbers(piece, i)[0], i);
  });
  const lineOfTrack = (piece, track) => {
    if (!piece.byTrack) piece.byTrack = new Map(Array.from(piece.track, (t, i) => [t, i]));
    return piece.byTrack.has(track) ? piece.byTrack.get(track) : -1;
  };

  const lineText = (piece, base, line, types) => {
    const r = record(piece, line);
    let text = r.t;
    if (r.g) {
      const values = numbers(piece, line);
      let out = "";
      let at = 0;
      r.g.forEach((gap, i) => {
        out += text.slice(at, gap) + (values[i] + base);
        at = gap;
      });
      text = out + text.slice(at);
    }
    return " ".repeat(r.i || 0) + (types ? text : withoutTypes(text));
  };
  const withoutTypes = (text) =>
    text.replace(/ ?\/\* ty=(?:[^*]|\*(?!\/))*\*\//g, "").replace(/meta\[relay\.Constant\]/g, "const")
        .replace(/(%[\w.]+): (?:Tensor\[\([^)]*\), \w+\]|\([^=]*?\)|\w+(?:\[[^\]]*\])?)(?=[,)]| =|\s*$)/g, "$1");
  return {data, record, numbers, string, origin, lineOfTrack, lineText, withoutTypes};
}
