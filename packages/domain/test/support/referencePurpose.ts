/**
 * A model of a purpose (Spec §3.2, decision P1). It stores only the history: the ordered list of what was written,
 * submitted and decided. It computes every answer from this list. `words` is the text of the purpose's description.
 */
export type Deed =
  | { readonly type: "write"; readonly words: string }
  | { readonly type: "hand in" | "approve" | "reject" | "archive" }

export type Status = "draft" | "in_review" | "approved" | "rejected" | "archived"

export class ReferencePurpose {
  private readonly history: Array<Deed>

  constructor(words: string) {
    this.history = [{ type: "write", words }]
  }

  /** The description that was written last before the deed with the index `end`. */
  words(end = this.history.length): string {
    const written = this.history.slice(0, end).flatMap((deed) => (deed.type === "write" ? [deed.words] : []))
    return written.at(-1) ?? ""
  }

  /** The description that a reviewer approved last; null when no description was approved. */
  approvedWords(): string | null {
    const at = this.history.findLastIndex((deed) => deed.type === "approve")
    return at < 0 ? null : this.words(at)
  }

  isArchived(): boolean {
    return this.history.some((deed) => deed.type === "archive")
  }

  status(): Status {
    if (this.isArchived()) return "archived"
    const since = this.history.slice(this.settled() + 1)
    const turn = since.findLastIndex((deed) => deed.type === "hand in" || deed.type === "reject")
    const written = since.slice(turn + 1).some((deed) => deed.type === "write")
    switch (since[turn]?.type) {
      case "hand in":
        return "in_review"
      case "reject":
        return written ? "draft" : "rejected"
      default:
        // When the description of an approved purpose changes, the purpose goes to review, although nobody submits it.
        return this.approvedWords() === null ? "draft" : written ? "in_review" : "approved"
    }
  }

  /** The index of the last deed after which the newest description equalled the approved one; -1 when there is none. */
  private settled(): number {
    const approval = this.history.findLastIndex((deed) => deed.type === "approve")
    return this.history.findLastIndex(
      (_, index) => approval >= 0 && index >= approval && this.words(index + 1) === this.approvedWords()
    )
  }

  /**
   * Returns whether this action on the purpose is allowed in its present state. Adds an allowed action to the history,
   * except a write that does not change the description.
   */
  do(deed: Deed): boolean {
    if (this.isArchived()) return deed.type === "archive"
    const status = this.status()
    if (deed.type === "hand in" && status !== "draft" && status !== "rejected") return false
    if ((deed.type === "approve" || deed.type === "reject") && status !== "in_review") return false
    if (deed.type !== "write" || deed.words !== this.words()) this.history.push(deed)
    return true
  }

  /** The description with which an app of this kind may use the purpose now; undefined when it may not use it. */
  inForce(app: "sandbox" | "production"): string | undefined {
    if (this.isArchived()) return undefined
    return this.approvedWords() ?? (app === "sandbox" ? this.words() : undefined)
  }
}
