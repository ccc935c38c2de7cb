// /version: the release whose behaviour this server follows.
export const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+embedded',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch}`,
}
