import "./button.css";
import "./dismiss-button.css";

export function DismissButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="icon-button dismiss" aria-label={label} onClick={onClick}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path d="M1 1l10 10M11 1L1 11" />
      </svg>
    </button>
  );
}
