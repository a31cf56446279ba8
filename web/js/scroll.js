// What comes into view, and what is brought there.

/** Calls back each time the element comes into view, for as long as it is in the document. */
export function whenSeen(element, call) {
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && call()).observe(element);
}

/** Scrolls sideways, gliding where the style sheet says so and it is wished for. */
export function scrollTo(element, left, glides) {
  element.scrollTo({ left, behavior: glides ? "auto" : "instant" });
}
