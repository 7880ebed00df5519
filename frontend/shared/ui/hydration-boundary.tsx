import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from "react";

type Boundary = { isHydrated: boolean };

const dehydrated = new Set<Boundary>();
const waiting: (() => void)[] = [];

function remove(boundary: Boundary): void {
  dehydrated.delete(boundary);
  if (dehydrated.size === 0) {
    for (const resolve of waiting.splice(0)) {
      resolve();
    }
  }
}

/** React hydrates each boundary in a separate task, and a pressed boundary first. */
export function HydrationBoundary({ children }: { children: ReactNode }) {
  const [boundary] = useState<Boundary>(() => ({ isHydrated: false }));

  useEffect(() => {
    if (!boundary.isHydrated) {
      dehydrated.add(boundary);
    }
    return () => remove(boundary);
  }, [boundary]);

  return (
    <Suspense>
      <Marker boundary={boundary} />
      {children}
    </Suspense>
  );
}

/** Its effect runs when React has hydrated the boundary. */
function Marker({ boundary }: { boundary: Boundary }) {
  useEffect(() => {
    boundary.isHydrated = true;
    remove(boundary);
  }, [boundary]);
  return null;
}

/** Resolves when every boundary is hydrated. A boundary may contain others. */
export async function whenHydrated(): Promise<void> {
  while (dehydrated.size > 0) {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  }
}

/** False in the prerendered document and while it is hydrated, true from then on. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
