import { useId } from "react";

const STOREY = 7.5;
const LINE = 1.25;
const GROUND = 500;
const MARGIN = 20;
const GAP = 42;
const WIDTHS = [96, 96, 72];
/** How far the sides swing out and in. */
const SWING = 3;

interface Tower {
  storeys: number;
  left: number;
  width: number;
  height: number;
}

/** The towers in elevation below their numbers of storeys: each dash of a thick stroke is a storey. */
export function Elevation({ storeys }: { storeys: readonly number[] }) {
  const outlines = useId();
  const towers = placed(storeys);
  return (
    <svg className="elevation" viewBox="0 0 388 540" aria-hidden="true">
      <clipPath id={outlines}>
        <path d={towers.map(outlineOf).join("")} />
      </clipPath>
      <g clipPath={`url(#${outlines})`} stroke="currentColor">
        {towers.map(({ left, width, height }) => (
          <path
            key={left}
            d={`M${left + width / 2} ${GROUND - STOREY}v${LINE - height}`}
            strokeWidth={width + 2 * SWING}
            strokeDasharray={`${LINE} ${STOREY - LINE}`}
          />
        ))}
      </g>
      {towers.map(({ left, width, height, storeys }) => (
        <text key={left} x={left + width / 2} y={GROUND - height - 14}>
          {storeys}
        </text>
      ))}
      <path d={`M0 ${GROUND}H388`} stroke="currentColor" strokeWidth="1.5" />
      <path
        className="elevation-river"
        d="M0 522q48.5-14 97 0t97 0 97 0 97 0"
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  );
}

function placed(storeys: readonly number[]): Tower[] {
  let left = MARGIN;
  return storeys.map((count, index) => {
    const width = WIDTHS[index] ?? 96;
    const tower = { storeys: count, left, width, height: count * STOREY };
    left += width + GAP;
    return tower;
  });
}

/** Sides that swing out, in and out again, and shoulders that draw in over the last three storeys. */
function outlineOf({ left, width, height }: Tower): string {
  const swing = 2 * SWING;
  const shoulders = 3 * STOREY;
  const step = (height - shoulders) / 3;
  return [
    `M${left} ${GROUND}`,
    `q${-swing} ${-step / 2} 0 ${-step}t0 ${-step} 0 ${-step}`,
    `l8 ${-shoulders - LINE}h${width - 16}l8 ${shoulders + LINE}`,
    `q${swing} ${step / 2} 0 ${step}t0 ${step} 0 ${step}z`,
  ].join("");
}
