import { useId } from "react";

const STOREY = 7.5;
const LINE = 1.25;
const GROUND = 500;
/** Where the towers stand. */
const PLACES = [
  { left: 20, width: 96 },
  { left: 158, width: 96 },
  { left: 296, width: 72 },
];
/** How far the sides swing out and in. */
const SWING = 3;

/** The towers in elevation below their numbers of storeys: each dash of a thick stroke is a storey. */
export function Elevation({ storeys }: { storeys: readonly number[] }) {
  const outlines = useId();
  const towers = PLACES.map((place, index) => {
    const count = storeys[index] ?? 0;
    return { ...place, storeys: count, height: count * STOREY };
  });
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

/** Sides that swing out, in and out again, and shoulders that draw in over the last three storeys. */
function outlineOf({ left, width, height }: Record<"left" | "width" | "height", number>): string {
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
