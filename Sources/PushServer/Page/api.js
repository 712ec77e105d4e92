// Calls of the HTTP API. A problem (RFC 9457) becomes an error whose message is its detail.

export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(method, path, { body, signal } = {}) {
  const options = { method, signal, headers: { accept: "application/json" } };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The inbox cannot be reached.");
  }
  // The cookie of the form is not known any more: the inbox was started again.
  if (answer.status === 401) location.assign("/login");
  if (answer.status === 204) return null;
  const json = await answer.json().catch(() => null);
  if (!answer.ok) throw new Problem(answer.status, json?.detail ?? `The inbox answered ${answer.status}.`);
  return json;
}

const query = (parameters) => {
  const text = new URLSearchParams(parameters).toString();
  return text ? "?" + text : "";
};
const part = encodeURIComponent;

export const api = {
  status: (options) => call("GET", "/v1/status", options),
  pushes: (parameters, options) => call("GET", "/v1/pushes" + query({ ...parameters, view: "summary" }), options),
  push: (number, options) => call("GET", `/v1/pushes/${part(number)}`, options),
  removePushes: (filter) => call("DELETE", "/v1/pushes" + query(filter)),
  reset: () => call("POST", "/v1/reset"),
  rules: (options) => call("GET", "/v1/rules", options),
  addRule: (rule) => call("POST", "/v1/rules", { body: rule }),
  removeRule: (id) => call("DELETE", `/v1/rules/${part(id)}`),
  removeRules: () => call("DELETE", "/v1/rules"),
  connections: (options) => call("GET", "/v1/connections", options),
  act: (id, action) => call("POST", `/v1/connections/${part(id)}/${part(action)}`),
  devices: (parameters, options) => call("GET", "/v1/devices" + query(parameters), options),
  device: (token, options) => call("GET", `/v1/devices/${part(token)}`, options),
  setDevice: (token, state) => call("PATCH", `/v1/devices/${part(token)}`, { body: { state } }),
  events: (parameters) => new EventSource("/v1/events" + query(parameters)),
};
