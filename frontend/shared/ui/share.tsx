import { useState } from "react";

interface CopyTexts {
  /** Label of the button until it is pressed. */
  label: string;
  copied: string;
  /** Shown if the browser does not allow copying, as on pages without https. */
  notCopied: string;
}

interface CopyButtonProps {
  text: string;
  texts: CopyTexts;
  /** Shares instead of copying; rejects if the browser cannot share. */
  share?: () => Promise<void>;
}

/** Copies a text, and shows that until the text changes. */
export function CopyButton({ text, texts, share }: CopyButtonProps) {
  const [result, setResult] = useState<{ of: string; said: "copied" | "notCopied" }>();

  async function press(): Promise<void> {
    try {
      if (share !== undefined) {
        await share();
        return;
      }
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") {
        return;
      }
    }
    try {
      await navigator.clipboard.writeText(text);
      setResult({ of: text, said: "copied" });
    } catch {
      setResult({ of: text, said: "notCopied" });
    }
  }

  return (
    <button
      type="button"
      className="button button-small button-plain copy"
      onClick={() => void press()}
    >
      <span aria-live="polite">{texts[result?.of === text ? result.said : "label"]}</span>
    </button>
  );
}

interface ShareButtonProps {
  title: string;
  url: string;
  texts: CopyTexts;
}

/** Shares an address, or copies it if the browser cannot share. */
export function ShareButton({ title, url, texts }: ShareButtonProps) {
  return (
    <CopyButton text={url} texts={texts} share={async () => navigator.share({ title, url })} />
  );
}
