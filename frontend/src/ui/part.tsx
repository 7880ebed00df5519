import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from "react";

/** Boundaries in the page that React has not made live yet. */
const dehydrated = new Set<object>();
let listeners: (() => void)[] = [];
const all: (() => Promise<unknown>)[] = [];

let begin = () => {};
/** Until the visitor does anything. */
const firstUse = new Promise<void>((resolve) => {
  begin = resolve;
});

/** Hydrates by itself, so that the page does not become live in one long task. */
export function Boundary({ children }: { children: ReactNode }) {
  const [mark] = useState(() => ({ live: false }));

  useEffect(() => {
    if (!mark.live) {
      dehydrated.add(mark);
    }
    return () => settle(mark);
  }, [mark]);

  return (
    <Suspense>
      <Live mark={mark} />
      {children}
    </Suspense>
  );
}

function Live({ mark }: { mark: { live: boolean } }) {
  useEffect(() => {
    mark.live = true;
    settle(mark);
  }, [mark]);
  return null;
}

function settle(mark: object): void {
  dehydrated.delete(mark);
  if (dehydrated.size === 0) {
    for (const told of listeners.splice(0)) {
      told();
    }
  }
}

/**
 * A part of a page whose code comes on its own. In a prerendered document it stands as it is, without code, until the
 * visitor does anything; on a page that is rendered here its code comes at once.
 * @param id of an element of the part, by which a document is known to have it
 * @param wanted when the part of a document is to become live
 */
export function part(
  load: () => Promise<ComponentType>,
  id: string,
  wanted: Promise<void> = firstUse,
): ComponentType {
  let component: ComponentType | undefined;
  const fetched = async () => {
    component ??= await load();
    return { default: component };
  };
  all.push(fetched);
  const Later = lazy(() =>
    document.getElementById(id) === null ? fetched() : wanted.then(fetched).catch(stayAsItIs),
  );
  return function Part() {
    // Once there, it is rendered in the same pass: so are documents.
    const [Code] = useState(() => component ?? Later);
    // On a page that is rendered here the page before it stays until the code is there.
    return Code === Later && document.getElementById(id) === null ? (
      <Code />
    ) : (
      <Boundary>
        <Code />
      </Boundary>
    );
  };
}

/** Loads the code of every part: for documents and tests, which render without waiting. */
export async function loadAllParts(): Promise<void> {
  await Promise.all(all.map((load) => load()));
}

/** Makes the whole page live: what React has not hydrated must not change under it. */
export async function hydrateAll(): Promise<void> {
  begin();
  await Promise.all(all.map((load) => load()));
  // A boundary that becomes live may hold others.
  while (dehydrated.size > 0) {
    await new Promise<void>((resolve) => {
      listeners = [...listeners, resolve];
    });
  }
}

/** Once the visitor has begun to use the page everything comes, so that no part is missing on a train. */
export function loadAtFirstUse(window: Window): void {
  const load = () => {
    begin();
    loadAllParts().catch(() => {});
  };
  if (window.scrollY > 0) {
    load();
    return;
  }
  for (const event of ["pointerdown", "pointermove", "keydown", "focusin", "scroll"]) {
    window.addEventListener(event, load, { once: true, passive: true });
  }
}

/** What was prerendered can be read, and its form posts, without the code that could not be had. */
function stayAsItIs(error: unknown): Promise<never> {
  console.error(
    "a part of the page stays without script",
    error instanceof Error ? error.name : "",
  );
  return new Promise(() => {});
}
