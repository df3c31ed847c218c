// Runs the tool beside the page: {id, args, files} in; lines of progress and the result out.
import { Relayopt } from "./index.mjs";

let tool;

onmessage = ({ data }) => {
  if (data.module !== undefined) {
    tool = new Relayopt(data.module);
    return;
  }
  const { id, args, files } = data;
  const began = performance.now();
  const decoder = new TextDecoder();
  const onMessage = (bytes) => postMessage({ id, progress: decoder.decode(bytes) });
  const result = tool.run(args, { files, onMessage });
  // The inputs need not travel back.
  for (const name of Object.keys(files)) delete result.files[name];
  postMessage({ id, result: { ...result, ms: performance.now() - began } });
};
