/** A change that somebody who calls the service can notice. */
export interface Change {
  /** The day, in UTC. */
  readonly on: string
  /** The id of the entry, in the anchors of the page and in the feed. After its publication an id never changes. */
  readonly id: string
  readonly kind: "added" | "changed" | "deprecated" | "removed"
  readonly title: string
  /** What has changed, and what callers have to do, if anything. */
  readonly text: string
}
