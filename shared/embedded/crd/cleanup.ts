// The finalizer that keeps a definition until its objects are gone.
export const customResourceCleanup = 'customresourcecleanup.apiextensions.k8s.io'
