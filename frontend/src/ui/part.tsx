import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { sleep } from "#api/time.ts";

const RETRY_AFTER_MS = 2_000;

/** Boundaries in the page that React has not made live yet. */
const dehydrated = new Set<object>();
let listeners: (() => void)[] = [];
const all: (() => Promise<unknown>)[] = [];

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
 * A part of a page whose code comes on its own: in a prerendered document it stands as it is meanwhile.
 * @param id of an element of the part, by which a document is known to have it
 */
export function part(load: () => Promise<ComponentType>, id: string): ComponentType {
  let component: ComponentType | undefined;
  const fetched = async () => {
    component ??= await load();
    return { default: component };
  };
  all.push(fetched);
  const Later = lazy(() =>
    document.getElementById(id) === null ? fetched() : untilFetched(fetched),
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
  await loadAllParts();
  // A boundary that becomes live may hold others.
  while (dehydrated.size > 0) {
    await new Promise<void>((resolve) => {
      listeners = [...listeners, resolve];
    });
  }
}

/** A part that stands in the document can wait for the network; its form posts meanwhile. */
async function untilFetched<Value>(load: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await load();
    } catch {
      await sleep(RETRY_AFTER_MS);
    }
  }
}
