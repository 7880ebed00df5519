import { createRoot } from "react-dom/client";

/**
 * In the place of React's own, for a root that has nothing to hydrate.
 * @param {Element} root
 * @param {import("react").ReactNode} page
 */
export function hydrateRoot(root, page) {
  createRoot(root).render(page);
}
