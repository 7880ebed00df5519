import "./folds.css";
import { unbroken } from "./unbroken.tsx";

interface FoldsProps {
  /** The texts by their headings. */
  items: Record<string, React.ReactNode>;
  isOpen?: boolean;
}

/** A list of headings that open their texts. */
export function Folds({ items, isOpen = false }: FoldsProps) {
  return (
    <div className="folds hairline-list hairline-list-closed">
      {Object.entries(items).map(([heading, text]) => (
        <details key={heading} open={isOpen}>
          <summary className="label">{heading}</summary>
          <p>{typeof text === "string" ? unbroken(text) : text}</p>
        </details>
      ))}
    </div>
  );
}
