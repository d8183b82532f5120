export interface Mutant {
  readonly id: number
  readonly path: string
  readonly line: number
  readonly kind: string
  readonly from: string
  readonly to: string
  readonly isStatic: boolean
}

export const plant: (
  path: string,
  text: string,
  firstId: number
) => { readonly mutants: ReadonlyArray<Mutant>; readonly text: string }
