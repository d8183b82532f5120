/** A text of the domain and the same text in German. The README of the room says what their slots are. */
export interface GermanPair {
  readonly en: string
  readonly de: string
}
