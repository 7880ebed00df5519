import "./wordmark.css";

export function Wordmark() {
  return (
    <span className="wordmark">
      <svg className="wordmark-mark" viewBox="-8 0 100 124" aria-hidden="true">
        <path
          d="M0 100V14Q0 0 14 0H22V100ZM32 100V0H40Q54 0 54 14V100ZM64 100V46H78Q84 46 84 52V100Z"
          fill="currentColor"
        />
        <path
          className="wordmark-river"
          d="M-6 116Q16 106 39 116T90 114"
          fill="none"
          strokeWidth="6"
          strokeLinecap="round"
        />
      </svg>
      <span>Zyon Grand</span>
    </span>
  );
}
