// Stands for ComfyUI's scripts/api.js. Calls go to the server that a test starts: see `serve` in ../page.js.
export const api = Object.assign(new EventTarget(), {
  server: "",
  apiURL: (route) => `/api${route}`,
  fetchApi: (route, options) => fetch(`${api.server}/api${route}`, options),
});
