/** A number with its Chinese unit, a whole date, or an English compound such as "62-storey". */
const MEASURE = /((?:\d[\d,.]*(?:平方英尺|公里|分钟|[年月日米层户款项个]))+|\d+-[a-z]+)/;

/** Keeps numbers with their units where no-break spaces in the text cannot. */
export function unbroken(text: string): React.ReactNode {
  return (
    // The key replaces the whole element, because a browser's translator may have replaced its text nodes.
    <span key={text}>
      {text.split(MEASURE).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order.
          <span key={index} className="unbroken">
            {part}
          </span>
        ),
      )}
    </span>
  );
}
