// The page without a network: everything it ships is kept at the first visit. `web/finish.mjs` writes the list of files and
// a hash of it into the built copy, so that each build has a cache of its own and the one before goes.
const FILES = [];
const CACHE = "redis-scripting-playground-VERSION";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith("redis-scripting-playground-") && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  event.respondWith(request.mode === "navigate" || url.pathname.endsWith(".md") ? fresh(request) : kept(request));
});

/** What may have changed: from the network, and where there is none, as it was. */
async function fresh(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const page = request.mode === "navigate" && (await caches.match("./"));
    return page || (await caches.match(request, { ignoreSearch: true })) || Promise.reject(error);
  }
}

/** What has its version in its name or in its query. */
async function kept(request) {
  return (await caches.match(request)) ?? fetch(request);
}
