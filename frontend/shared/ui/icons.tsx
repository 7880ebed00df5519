import "./arrow.css";
import "./dismiss-button.css";

interface IconProps {
  className?: string;
  path: string;
  viewBox?: string;
}

export function Icon({ className, path, viewBox = "0 0 24 24" }: IconProps) {
  return (
    <svg
      className={className}
      viewBox={viewBox}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

/** The arrow of a link with the class `arrow-link`. */
export function Arrow() {
  return <Icon className="arrow" viewBox="0 0 24 12" path="M0 6H22M17 1l5 5-5 5" />;
}

interface IconButtonProps extends IconProps {
  label: string;
  /** Disables the button with `aria-disabled`, so it keeps the focus. */
  disabled?: boolean;
  onClick: () => void;
}

export function IconButton({ className = "", label, disabled, onClick, ...icon }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      aria-disabled={disabled}
      onClick={onClick}
    >
      <Icon {...icon} />
    </button>
  );
}

export function DismissButton(props: Pick<IconButtonProps, "label" | "onClick">) {
  return (
    <IconButton className="dismiss" viewBox="0 0 12 12" path="M1 1l10 10M11 1L1 11" {...props} />
  );
}
