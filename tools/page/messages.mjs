/**
 * Splits standard error of a run with `--diagnostics-format=json` into lines of progress (of `-v`) and diagnostics. A run
 * that failed without a diagnostic, as by a crash, has its lines as one.
 */
export function splitMessages({ stderr, status }) {
  const begin = stderr.search(/^\{$/m);
  const lines = begin < 0 ? stderr : stderr.slice(0, begin);
  const diagnostics = begin < 0 ? [] : JSON.parse(stderr.slice(begin)).diagnostics;
  if (status !== 0 && diagnostics.length === 0) diagnostics.push({ severity: "error", text: lines.trim(), notes: [] });
  return { lines, diagnostics };
}
