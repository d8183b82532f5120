/** A text of the domain and the same text in German. The README of this folder explains their slots. */
export interface GermanPair {
  readonly en: string
  readonly de: string
}
