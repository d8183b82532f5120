/** A kind of XML file. `name` is an element's name without the prefix. `depth` is 1 for the root. */
export interface XmlDialect {
  /** Called when an element begins. Returns true if `close` should get the text of the element. */
  readonly open: (name: string, attributes: Readonly<Record<string, string>>, depth: number) => boolean
  /**
   * Called when an element ends. `text` is undefined when `open` returned false, or when the element contained another
   * element.
   */
  readonly close: (name: string, text: string | undefined, depth: number) => void
}
