import { floorPlans } from "#content/floor-plans.ts";

const LARGEST = Math.max(...floorPlans.map(({ size }) => size));

/** A line whose marked part is a unit's area beside that of the largest. */
export function ScaleLine({ size }: { size: number }) {
  const share = Math.round((1000 * size) / LARGEST);
  return (
    <svg className="scale-line" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
      <path className="scale-line-whole" d="M0 7.5H1000" />
      <path className="scale-line-part" d={`M0 7.5H${share}V0`} />
    </svg>
  );
}
