// Node's http2 answering pushes: node-server.mjs PORT KEY CERTIFICATE LOG [DELAY]
//
// Writes the path of each request it answered to LOG. Without DELAY it answers at once, and leaves each connection gracefully
// (GOAWAY, answers finish) after 5,000 requests. With it, each body is read, given back and answered DELAY milliseconds after
// its HEADERS, and at SIGTERM it prints how long it took from a request's HEADERS to its answer.
import { constants, createSecureServer } from "node:http2";
import { createWriteStream, readFileSync } from "node:fs";

const [port, key, certificate, log, delay] = process.argv.slice(2);
const times = [];
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
  if (delay !== undefined) return answerLate(stream);
  stream.resume();
  stream.respond({ ":status": 200 }, { endStream: true });
  stream.session.begun += 1;
  if (stream.session.begun === 5_000) stream.session.close();
});
function answerLate(stream) {
  const began = performance.now();
  setTimeout(() => {
    stream.on("end", () => {
      stream.respond({ ":status": 200 }, { endStream: true });
      times.push(performance.now() - began);
    });
    stream.resume();
  }, Number(delay));
}

function percentile(share) {
  return `${Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))])} ms`;
}

server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => {
  times.sort((one, other) => one - other);
  if (times.length > 0) console.log(`from HEADERS to the answer: median ${percentile(0.5)}, 99.9 % ${percentile(0.999)}`);
  requests.end(() => process.exit(0));
});
