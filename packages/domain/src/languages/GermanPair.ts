/** A text of the domain and the same text in German. The README of this folder explains the slots in these texts. */
export interface GermanPair {
  readonly en: string
  readonly de: string
}
