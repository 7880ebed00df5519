import "./elevation.css";

const STOREY = 7.4;
const GROUND = 500;
const GAP = 40;
const WIDTHS = [96, 96, 72];

/** The towers in elevation, one line for each storey: the dash of a thick stroke is a storey. */
export function Elevation({ storeys }: { storeys: readonly number[] }) {
  let left = 20;
  const towers = storeys.map((count, index) => {
    const width = WIDTHS[index] ?? 96;
    const tower = { x: left + width / 2, width, height: count * STOREY };
    left += width + GAP;
    return tower;
  });
  return (
    <svg className="elevation" viewBox="0 0 384 540" aria-hidden="true">
      {towers.map(({ x, width, height }) => (
        <path
          key={x}
          d={`M${x} ${GROUND - STOREY}v${-height}`}
          stroke="currentColor"
          strokeWidth={width}
          strokeDasharray={`1.2 ${STOREY - 1.2}`}
        />
      ))}
      <path d={`M0 ${GROUND}H384`} stroke="currentColor" strokeWidth="1.5" />
      <path
        className="elevation-river"
        d="M0 522q48-14 96 0t96 0 96 0 96 0"
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  );
}
