/**
 * A number or a range with its Chinese unit, a whole date, the Chinese words for "show flat" and "to be announced", or an
 * English compound such as "62-storey".
 */
const MEASURE =
  /((?:\d[\d,.]*(?:至\d[\d,.]*)?\u00a0?(?:平方英尺|公里|分钟|间卧房|间浴室|[年月日米层户款项个]))+|示范单位|待公布|\d+-[a-z]+)/;

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
