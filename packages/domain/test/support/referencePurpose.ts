/**
 * The life of a purpose again, told from its history alone (Spec §3.2, decision P1): what was written, handed in and decided,
 * in order. Nothing is remembered beside the list; every answer is looked up in it.
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

  /** What was written last before the deed `end`. */
  words(end = this.history.length): string {
    const written = this.history.slice(0, end).flatMap((deed) => (deed.type === "write" ? [deed.words] : []))
    return written.at(-1) ?? ""
  }

  /** What was written when it was last approved. */
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
        // Other words than the approved ones hand themselves in.
        return this.approvedWords() === null ? "draft" : written ? "in_review" : "approved"
    }
  }

  /** The last deed after which it said what was approved; -1 when nothing was. */
  private settled(): number {
    const approval = this.history.findLastIndex((deed) => deed.type === "approve")
    return this.history.findLastIndex(
      (_, index) => approval >= 0 && index >= approval && this.words(index + 1) === this.approvedWords()
    )
  }

  /** Whether it may be done now; if so, it is. */
  do(deed: Deed): boolean {
    if (this.isArchived()) return deed.type === "archive"
    const status = this.status()
    if (deed.type === "hand in" && status !== "draft" && status !== "rejected") return false
    if ((deed.type === "approve" || deed.type === "reject") && status !== "in_review") return false
    if (deed.type !== "write" || deed.words !== this.words()) this.history.push(deed)
    return true
  }

  /** The words in which an app may use it now; undefined when it may not. */
  inForce(app: "sandbox" | "production"): string | undefined {
    if (this.isArchived()) return undefined
    return this.approvedWords() ?? (app === "sandbox" ? this.words() : undefined)
  }
}
