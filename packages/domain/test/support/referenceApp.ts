/**
 * A model of an app in production (decision M2). It stores only the history: the ordered list of what the developer
 * wrote and withdrew, and of what reviewers decided. It computes every answer from this list.
 */
export type AppDeed =
  | { readonly type: "name"; readonly name: string }
  /** `logo` is null when the developer removes the logo. */
  | { readonly type: "logo"; readonly logo: string | null }
  | { readonly type: "scopes" | "origins"; readonly list: ReadonlyArray<string> }
  | { readonly type: "approve" | "reject" | "withdraw" }

const settles = ({ type }: AppDeed): boolean => type === "approve" || type === "reject" || type === "withdraw"

export class ReferenceApp {
  private readonly history: Array<AppDeed> = []

  private readonly name: string
  private readonly lists: Readonly<Record<"scopes" | "origins", ReadonlyArray<string>>>

  constructor(name: string, lists: Readonly<Record<"scopes" | "origins", ReadonlyArray<string>>>) {
    this.name = name
    this.lists = lists
  }

  /** Returns whether the service allows this deed now, and if so, adds the deed to the history. */
  do(deed: AppDeed): boolean {
    if (settles(deed) && !this.waits()) return false
    this.history.push(deed)
    return true
  }

  /** The index of the latest decision or withdrawal among the deeds before the index `end`; -1 when there is none. */
  private settled(end: number): number {
    return this.history.slice(0, end).findLastIndex(settles)
  }

  wantedName(end = this.history.length): string {
    const settled = this.settled(end)
    const written = this.history.slice(settled + 1, end).flatMap((deed) => (deed.type === "name" ? [deed.name] : []))
    return written.at(-1) ?? this.nameInForce(end)
  }

  /** The name that the developer wanted at the last approval by a reviewer. */
  nameInForce(end = this.history.length): string {
    const approved = this.history.slice(0, end).findLastIndex(({ type }) => type === "approve")
    return approved < 0 ? this.name : this.wantedName(approved)
  }

  wantedLogo(end = this.history.length): string | null {
    const settled = this.settled(end)
    const written = this.history.slice(settled + 1, end).flatMap((deed) => (deed.type === "logo" ? [deed.logo] : []))
    const last = written.at(-1)
    return last === undefined ? this.logoInForce(end) : last
  }

  /** The logo that users see. The removal of a logo needs no approval. */
  logoInForce(end = this.history.length): string | null {
    for (let at = end - 1; at >= 0; at--) {
      const deed = this.history[at]
      if (deed?.type === "approve") return this.wantedLogo(at)
      if (deed?.type === "logo" && deed.logo === null) return null
    }
    return null
  }

  wanted(which: "scopes" | "origins", end = this.history.length): ReadonlyArray<string> {
    const settled = this.settled(end)
    const written = this.history.slice(settled + 1, end).flatMap((deed) => (deed.type === which ? [deed.list] : []))
    const last = written.at(-1)
    // If the developer wrote no list of the kind `which` since the last decision or withdrawal, no change waits. Then
    // the wanted list is the list in force.
    return last ?? this.inForce(which, end)
  }

  /** The entries of the list at the beginning, and all entries that a reviewer has approved since. */
  everApproved(which: "scopes" | "origins", end = this.history.length): ReadonlySet<string> {
    const approvals = this.history.flatMap(({ type }, index) => (type === "approve" && index < end ? [index] : []))
    return new Set([...this.lists[which], ...approvals.flatMap((at) => this.wanted(which, at))])
  }

  /**
   * The list that is in force before the deed with the index `end`. The search goes back through the history, to the
   * newest deed of one of two kinds: an approval, after which the whole approved list is in force; or a new list by the
   * developer with some entries that were approved before, after which only these entries are in force.
   */
  inForce(which: "scopes" | "origins", end = this.history.length): ReadonlyArray<string> {
    for (let at = end - 1; at >= 0; at--) {
      const deed = this.history[at]
      if (deed?.type === "approve") return this.wanted(which, at)
      if (deed?.type !== which || !("list" in deed)) continue
      const ever = this.everApproved(which, at)
      const kept = deed.list.filter((one) => ever.has(one))
      if (kept.length > 0) return kept
    }
    return this.lists[which]
  }

  waits(): boolean {
    const isNew = (which: "scopes" | "origins") => {
      const ever = this.everApproved(which)
      return this.wanted(which).some((one) => !ever.has(one))
    }
    const isRenamed = this.wantedName() !== this.nameInForce() || this.wantedLogo() !== this.logoInForce()
    return isRenamed || isNew("scopes") || isNew("origins")
  }
}
