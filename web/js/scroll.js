// What comes into view, and what is brought there.

/** Calls back each time the element comes into view, for as long as it is in the document. */
export function whenSeen(element, call) {
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && call()).observe(element);
}

/** Scrolls sideways, gliding where the style sheet says so and it is wished for. */
export function scrollTo(element, left, glides) {
  element.scrollTo({ left, behavior: glides ? "auto" : "instant" });
}

/**
 * Two empty boxes stand for what of a long list is not in the document. Calls back when a part of one is nearly in view: whether it is
 * the second, the part's begin and end, and how much can be seen at once. Looks again if the callback has changed the list.
 */
export function watchBoxes(before, after, call) {
  const look = (entries) => {
    for (const { target, isIntersecting, boundingClientRect: all, intersectionRect: seen } of entries) {
      if (!isIntersecting || !seen.height) continue;
      if (!call(target === after, seen.top - all.top, seen.bottom - all.top, innerHeight)) continue;
      // What else was seen was seen of the list as it was.
      observer.disconnect();
      return watch();
    }
  };
  const watch = () => [before, after].forEach((box) => observer.observe(box));
  // The page's own scrolling knows the first, that of its parts the second.
  const observer = new IntersectionObserver(look, { rootMargin: "100px 0px", scrollMargin: "100px 0px" });
  watch();
  return observer;
}

export const heightsOf = (element) => Float64Array.from(element.children, (child) => child.getBoundingClientRect().height);
