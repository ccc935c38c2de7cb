// Users: the API server's names of people and programs.

export type User = {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

export const authenticated = (user: User): User => ({
  ...user,
  groups: [...new Set([...user.groups, 'system:authenticated'])],
})

export const admin: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }

/** The user in the format of reviews: `userInfo` of AdmissionReview, `user` of TokenReview. */
export const userInfo = (user: User): Record<string, unknown> => ({
  username: user.name,
  ...(user.uid && { uid: user.uid }),
  groups: user.groups,
  ...(user.extra && Object.keys(user.extra).length > 0 && { extra: user.extra }),
})
