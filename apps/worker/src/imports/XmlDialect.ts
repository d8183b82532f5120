/** One kind of XML file. `name` is without its prefix; the root has the depth 1. */
export interface XmlDialect {
  /** An element begins. True: `close` gets its text. */
  readonly open: (name: string, attributes: Readonly<Record<string, string>>, depth: number) => boolean
  /**
   * An element ends. `text` is undefined when `open` did not ask for it, or when the element contained another element.
   */
  readonly close: (name: string, text: string | undefined, depth: number) => void
}
