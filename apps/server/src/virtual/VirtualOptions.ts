/** What the command line says about a server on virtual time. */
export interface VirtualOptions {
  /** Ids and secrets follow from it; null: they are random. */
  readonly seed: string | null
  /** What the clock of a new world shows, in milliseconds; null: its own choice. */
  readonly at: number | null
}
