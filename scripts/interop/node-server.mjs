// Node's http2 answering pushes: node-server.mjs PORT KEY CERTIFICATE LOG
//
// Writes the path of each request it answered to LOG, and leaves each connection gracefully (GOAWAY, answers finish)
// after 5,000 requests.
import { constants, createSecureServer } from "node:http2";
import { createWriteStream, readFileSync } from "node:fs";

const [port, key, certificate, log] = process.argv.slice(2);
const requests = createWriteStream(log);
const server = createSecureServer({
  key: readFileSync(key),
  cert: readFileSync(certificate),
  settings: { maxConcurrentStreams: 1000 },
});

server.on("session", (session) => {
  session.begun = 0;
});
server.on("stream", (stream, headers) => {
  // Behind a GOAWAY Node still shows us streams that it refuses to the client: only the others were answered.
  stream.on("error", () => {});
  stream.on("close", () => {
    if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) requests.write(`${headers[":path"]}\n`);
  });
  stream.resume();
  stream.respond({ ":status": 200 }, { endStream: true });
  stream.session.begun += 1;
  if (stream.session.begun === 5_000) stream.session.close();
});
server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => requests.end(() => process.exit(0)));
