/** Calls back once, when the element is less than half a window away; returns how to give it up. */
export function whenNear(element: Element, then: () => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) {
        observer.disconnect();
        then();
      }
    },
    { rootMargin: "50% 0%" },
  );
  observer.observe(element);
  return () => observer.disconnect();
}

/** Whether the visitor has asked the browser to load less; browsers that do not say count as no. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
}
