// Contents with which API servers start, and with which they do not, in the words of Kubernetes.

import t from 'tap'
import { auditPolicyFault } from '../../../shared/core/apiserver/audit-policy.ts'
import { authenticationFault } from '../../../shared/core/apiserver/authentication-configuration.ts'
import { authorizationFault } from '../../../shared/core/apiserver/authorization-configuration.ts'
import { claims, expressionFault, request, user } from '../../../shared/core/apiserver/expression.ts'
import { kubeconfigFault } from '../../../shared/core/apiserver/kubeconfig-file.ts'
import { subdomainDetail } from '../../../shared/core/objects/dns-name.ts'
import { soundExpressions, unsoundExpressions } from '../../harness/garden/expressions.ts'
import { matches } from '../../harness/matches.ts'
import { authentication, authorizers, webhookKubeconfig } from '../../make/garden/server-contents.ts'

type Row = [content: string, fault: string | undefined]

const invalid = (...errors: readonly string[]): string => `provided invalid audit policy: [${errors.join(' ')}]`

const levels = 'supported values: "None", "Metadata", "Request", "RequestResponse"'

t.test('GA-324 an audit policy is judged as the Go operator and the API server judge it', async t => {
  const withRules = (rules: string) => `{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: ${rules} }`
  const decoding = 'failed to decode the provided audit policy:'
  const rows: Row[] = [
    ['- a', `${decoding} it is not a YAML map`],
    ['apiVersion: audit.k8s.io/v1', `${decoding} Object 'Kind' is missing in '{"apiVersion":"audit.k8s.io/v1"}'`],
    ['kind: Policy', `${decoding} Object 'apiVersion' is missing in '{"kind":"Policy"}'`],
    [
      '{ apiVersion: audit.k8s.io/v1alpha1, kind: Policy }',
      `${decoding} no kind "Policy" is registered for version "audit.k8s.io/v1alpha1"`,
    ],
    [withRules('[{ level: None }, a]'), `${decoding} rules[1]: must be of type object`],
    [withRules('[{ level: None, users: a }]'), `${decoding} rules[0].users: must be of type array`],
    [withRules('[]'), invalid('rules: Required value: an API server does not start without a rule')],
    [withRules('[{ level: Foo }]'), invalid(`rules[0].level: Unsupported value: "Foo": ${levels}`)],
    [withRules('[{}]'), invalid('rules[0].level: Required value')],
    [
      withRules('[{ level: None, nonResourceURLs: ["/a", "a*b", "*"] }]'),
      invalid(
        'rules[0].nonResourceURLs[1]: Invalid value: "a*b": non-resource URL rules must begin with a \'/\' character',
        'rules[0].nonResourceURLs[1]: Invalid value: "a*b": non-resource URL wildcards \'*\' must be the final character of the rule',
      ),
    ],
    [
      withRules('[{ level: None, omitStages: [Panic, Late] }]'),
      invalid(
        'rules[0].omitStages[1]: Invalid value: "Late": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
      ),
    ],
    [
      withRules('[{ level: None, resources: [{ group: apps/v1 }] }]'),
      invalid(`rules[0].resources.group: Invalid value: "apps/v1": ${subdomainDetail}`),
    ],
    [
      withRules('[{ level: None, resources: [{ resourceNames: [a] }] }]'),
      invalid(
        'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
      ),
    ],
    [
      withRules('[{ level: None, nonResourceURLs: ["*"], namespaces: [a] }]'),
      invalid(
        'rules[0].nonResourceURLs: Invalid value: ["*"]: rules cannot apply to both regular resources and non-resource URLs',
      ),
    ],
    [
      withRules(
        '[{ level: Request, users: null, nonResourceURLs: ["*", /a*], omitStages: [Panic], more: 1 }, { level: None, resources: [{ resources: [a], resourceNames: [b] }, { group: apps }], namespaces: [""] }]',
      ),
      undefined,
    ],
  ]
  for (const [content, fault] of rows) t.equal(auditPolicyFault({ knowsAnyGroup: true }, content), fault, content)
  matches(
    t,
    auditPolicyFault({ knowsAnyGroup: true }, 'a: ['),
    /^failed to decode the provided audit policy: yaml: line 1/,
  )
  const anyGroup = withRules('[{ level: None, resources: [{ group: "*" }] }]')
  t.equal(auditPolicyFault({ knowsAnyGroup: true }, anyGroup), undefined)
  t.equal(
    auditPolicyFault({ knowsAnyGroup: false }, anyGroup),
    invalid(`rules[0].resources.group: Invalid value: "*": ${subdomainDetail}`),
  )
})

t.test('GA-324 a policy of many faults tells twenty, and its judgement takes no longer for each', async t => {
  const policy = `{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [${'{},'.repeat(100_000)}] }`
  const fault = auditPolicyFault({ knowsAnyGroup: true }, policy) ?? ''
  t.ok(fault.endsWith('rules[19].level: Required value …]'), fault.slice(-100))
})

t.test('GA-333 an authentication configuration is judged as the API server judges it', async t => {
  const server = { garden: 'garden', minor: 33, issuers: ['https://api.example.com'], saysAnonymous: false }
  const purpose = 'authentication configuration'
  const config = (rest: string, version = 'v1beta1') =>
    `{ apiVersion: apiserver.config.k8s.io/${version}, kind: AuthenticationConfiguration, ${rest} }`
  const jwt = (change: string) => config(`jwt: [{ ${change} }]`)
  const issuer = (change: string) => jwt(`issuer: { ${change} }, claimMappings: { username: { claim: a, prefix: "" } }`)
  const more = (change: string) => jwt(`issuer: { url: "https://a", audiences: [b] }, ${change}`)
  const mapped = (change: string) => more(`claimMappings: { username: { claim: a, prefix: "" }, ${change} }`)
  const errors = (...all: string[]) => `provided invalid ${purpose}: [${all.join(' ')}]`
  const rows: Row[] = [
    [authentication(), undefined],
    [config('jwt: []'), undefined],
    [
      issuer('url: "https://api.example.com", audiences: [a]'),
      errors(
        'jwt[0].issuer.url: Invalid value: "https://api.example.com": URL must not overlap with disallowed issuers: [https://api.example.com]',
      ),
    ],
    [
      jwt(''),
      errors(
        'jwt[0].issuer.url: Required value',
        'jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required',
        'jwt[0].claimMappings.username: Required value: claim or expression is required',
      ),
    ],
    [
      issuer('url: "http://u@a?q#f", audiences: [a, a, ""]'),
      errors(
        ...['scheme must be https', 'must not contain a username or password', 'must not contain a query'].map(
          fault => `jwt[0].issuer.url: Invalid value: "http://u@a?q#f": URL ${fault}`,
        ),
        'jwt[0].issuer.url: Invalid value: "http://u@a?q#f": URL must not contain a fragment',
        'jwt[0].issuer.audiences[1]: Duplicate value: "a"',
        'jwt[0].issuer.audiences[2]: Required value',
        'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
      ),
    ],
    [
      issuer(
        'url: "https://a", discoveryURL: "https://a/", audiences: [a], audienceMatchPolicy: All, certificateAuthority: x',
      ),
      errors(
        'jwt[0].issuer.discoveryURL: Invalid value: "https://a/": discoveryURL must be different from URL',
        'jwt[0].issuer.audienceMatchPolicy: Invalid value: "All": audienceMatchPolicy must be empty or MatchAny for single audience',
        'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
      ),
    ],
    [
      issuer('url: "https://a", audiences: [a], egressSelectorType: cluster'),
      errors('jwt[0].issuer.egressSelectorType: Forbidden: is not known to Kubernetes 1.33'),
    ],
    [config('jwt: [1]'), `failed to decode the provided ${purpose}: jwt[0]: must be of type object`],
    [
      issuer('url: "https://a", audiences: [a], color: red'),
      `failed to decode the provided ${purpose}: strict decoding error: unknown field "jwt[0].issuer.color"`,
    ],
    [
      config('jwt: [], jwt: []'),
      `failed to decode the provided ${purpose}: strict decoding error: key "jwt" already set in map`,
    ],
    [
      config('jwt: []', 'v1'),
      `failed to decode the provided ${purpose}: no kind "AuthenticationConfiguration" is registered for version "apiserver.config.k8s.io/v1"`,
    ],
    [
      config('anonymous: { conditions: [{ path: /livez }] }'),
      errors(
        'anonymous.conditions: Invalid value: [{"path":"/livez"}]: enabled should be set to true when conditions are defined',
      ),
    ],
    [
      more('claimMappings: { username: { claim: a }, groups: { expression: claims.b, prefix: c } }'),
      errors(
        'jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
        'jwt[0].claimMappings.groups.prefix: Invalid value: "c": may not be specified when expression is set',
      ),
    ],
    [
      mapped('groups: { claim: a, expression: b }, uid: { claim: a, expression: b }'),
      errors(
        'jwt[0].claimMappings.groups: Invalid value: "": claim and expression can\'t both be set',
        'jwt[0].claimMappings.uid: Invalid value: "": claim and expression can\'t both be set',
      ),
    ],
    [
      mapped(
        'extra: [{ key: "" }, { key: plain, valueExpression: claims.a }, { key: a.kubernetes.io/B, valueExpression: claims.a }, { key: "a.b/?", valueExpression: claims.a }, { key: "a.b/?" }]',
      ),
      errors(
        'jwt[0].claimMappings.extra[0].key: Required value',
        'jwt[0].claimMappings.extra[0].valueExpression: Required value',
        'jwt[0].claimMappings.extra[1].key: Invalid value: "plain": must be a domain-prefixed path (such as "acme.io/foo")',
        'jwt[0].claimMappings.extra[2].key: Invalid value: "a.kubernetes.io/B": must be lowercase',
        'jwt[0].claimMappings.extra[2].key: Invalid value: "a.kubernetes.io/B": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
        "jwt[0].claimMappings.extra[3].key: Invalid value: \"?\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
        "jwt[0].claimMappings.extra[4].key: Invalid value: \"?\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
        'jwt[0].claimMappings.extra[4].key: Duplicate value: "a.b/?"',
      ),
    ],
    [
      more(
        'claimMappings: { username: { expression: claims.a } }, claimValidationRules: [{}, { claim: a, expression: b }, { claim: c, message: d }, { claim: c }, { expression: claims.e == 1, requiredValue: f }, { expression: claims.e == 1 }], userValidationRules: [{}, { expression: user.uid == "" }, { expression: user.uid == "" }]',
      ),
      errors(
        'jwt[0].claimValidationRules[0]: Required value: claim or expression is required',
        'jwt[0].claimValidationRules[1]: Invalid value: "a": claim and expression can\'t both be set',
        'jwt[0].claimValidationRules[2].message: Invalid value: "d": may not be specified when claim is set',
        'jwt[0].claimValidationRules[3].claim: Duplicate value: "c"',
        'jwt[0].claimValidationRules[4].requiredValue: Invalid value: "f": may not be specified when expression is set',
        'jwt[0].claimValidationRules[5].expression: Duplicate value: "claims.e == 1"',
        'jwt[0].userValidationRules[0].expression: Required value',
        'jwt[0].userValidationRules[2].expression: Duplicate value: "user.uid == \\"\\""',
      ),
    ],
  ]
  for (const [content, fault] of rows) t.equal(authenticationFault(server, content), fault, content)
  const one =
    '{ issuer: { url: "https://a", discoveryURL: "https://d", audiences: [b] }, claimMappings: { username: { claim: a, prefix: "" } } }'
  t.equal(
    authenticationFault(server, config(`jwt: [${one}, ${one}]`)),
    errors(
      'jwt[1].issuer.url: Duplicate value: "https://a"',
      'jwt[1].issuer.discoveryURL: Duplicate value: "https://d"',
    ),
  )
  t.equal(
    authenticationFault(server, config(`jwt: [${'{},'.repeat(65)}]`)),
    errors('jwt: Too many: 65: must have at most 64 items'),
  )
  t.equal(authenticationFault({ ...server, minor: 34 }, config('jwt: []', 'v1')), undefined)
  const egress = issuer('url: "https://a", audiences: [a], egressSelectorType: etcd')
  t.equal(
    authenticationFault({ ...server, minor: 34 }, egress),
    errors(
      'jwt[0].issuer.egressSelectorType: Invalid value: "etcd": egress selector must be either controlplane or cluster',
    ),
  )
  t.equal(
    authenticationFault({ ...server, saysAnonymous: true }, config('anonymous: { enabled: true }')),
    `cannot use anonymous ${purpose} when the following gardens have the legacy configuration enabled: garden`,
  )
  t.equal(authenticationFault(server, config('anonymous: { enabled: true }')), undefined)
})

t.test('GA-333 a URL of many slashes is judged at once', async t => {
  const server = { garden: 'garden', minor: 36, issuers: [], saysAnonymous: false }
  const url = `https://a${'/'.repeat(500_000)}b`
  const content = authentication().replace('url: https', `discoveryURL: ${url}\n      url: https`)
  t.equal(authenticationFault(server, content), undefined)
})

t.test(
  'GA-357 a CEL expression is refused if it has no sense, names something unknown, or decides without a bool',
  async t => {
    const server = { garden: 'garden', minor: 36, issuers: [], saysAnonymous: false }
    const head = 'apiVersion: apiserver.config.k8s.io/v1beta1, kind: AuthenticationConfiguration'
    const issuer = 'issuer: { url: "https://a", audiences: [b] }'
    const named = 'claimMappings: { username: { claim: a, prefix: "" } }'
    const places = {
      username: (text: string) => `claimMappings: { username: { expression: ${text} } }`,
      groups: (text: string) =>
        `claimMappings: { username: { claim: a, prefix: "" }, groups: { expression: ${text} } }`,
      uid: (text: string) => `claimMappings: { username: { claim: a, prefix: "" }, uid: { expression: ${text} } }`,
      extra: (text: string) =>
        `claimMappings: { username: { claim: a, prefix: "" }, extra: [{ key: a.b/c, valueExpression: ${text} }] }`,
      rule: (text: string) => `${named}, claimValidationRules: [{ expression: ${text} }]`,
      user: (text: string) => `${named}, userValidationRules: [{ expression: ${text} }]`,
    }
    const paths = {
      username: 'claimMappings.username.expression',
      groups: 'claimMappings.groups.expression',
      uid: 'claimMappings.uid.expression',
      extra: 'claimMappings.extra[0].valueExpression',
      rule: 'claimValidationRules[0].expression',
      user: 'userValidationRules[0].expression',
    }
    const judged = (place: keyof typeof places, expression: string) =>
      authenticationFault(server, `{ ${head}, jwt: [{ ${issuer}, ${places[place](JSON.stringify(expression))} }] }`)
    const isFit: readonly (readonly [keyof typeof places, string])[] = [
      ['username', 'claims.sub'],
      ['username', "claims.?a.orValue('b') + ':' + claims.c"],
      ['username', 'claims.email_verified ? claims.email : claims.sub'],
      ['username', "claims.?email_verified.orValue(false) ? claims.?email.orValue('') : claims.sub"],
      ['username', "claims['email']"],
      ['groups', "claims.a.split(',').map(x, 'b:' + x)"],
      ['uid', 'claims.`a-b`'],
      ['uid', '.5 > 1.0'],
      ['extra', 'google.protobuf.Timestamp{seconds: 1}'],
      ['extra', 'string(claims.a)'],
      ['rule', "sets.contains(claims.a, ['b'])"],
      ['rule', 'has(claims.a) && claims.exp - claims.nbf <= 86400'],
      ['rule', 'type(claims.a) == list'],
      ['rule', "claims.a == 'b' ? true : has(claims.c)"],
      ['rule', "{'a': true}['a']"],
      ['user', "user.groups.all(group, !group.startsWith('system:'))"],
      ['user', "user.extra['a'].exists(i, x, x == 'b')"],
      ['user', 'true'],
    ]
    for (const [place, expression] of isFit) t.equal(judged(place, expression), undefined, expression)
    const isUnfit: readonly (readonly [keyof typeof places, string, RegExp])[] = [
      ...(Object.keys(places) as (keyof typeof places)[]).map(
        place => [place, 'a ||', /compilation failed: Syntax error: /] as const,
      ),
      ['username', 'claim.sub', /compilation failed: undeclared reference to 'claim'/],
      ['groups', "user.groups + ['a']", /undeclared reference to 'user'/],
      ['uid', 'claims.a.filter(x, y)', /undeclared reference to 'y'/],
      ['extra', 'foo', /undeclared reference to 'foo'/],
      ['user', "claims.sub == 'a'", /undeclared reference to 'claims'/],
      ['user', "user.name == 'a'", /compilation failed: undefined field 'name'/],
      ['user', 'user.groups[0]', /must evaluate to bool/],
      ['rule', 'claims.email_verified', /must evaluate to bool/],
      ['rule', "'true'", /must evaluate to bool/],
      ['rule', "has(claims.a) ? claims.a : 'b'", /must evaluate to bool/],
      ['rule', 'claims.exp - claims.nbf', /must evaluate to bool/],
      ['username', 'claims.email', /claims\.email_verified must be used in claimMappings\.username\.expression or /],
      ['username', "claims.?email.orValue('')", /claims\.email_verified must be used in /],
    ]
    for (const [place, expression, fault] of isUnfit) {
      const found = judged(place, expression) ?? ''
      matches(t, found, fault, `${place}: ${expression}`)
      t.ok(found.includes(`jwt[0].${paths[place]}: Invalid value: ${JSON.stringify(expression)}`), found)
    }
    const verified = [
      'claimMappings: { username: { expression: claims.email } }, claimValidationRules: [{ expression: claims.email_verified == true }]',
      'claimMappings: { username: { expression: claims.email }, extra: [{ key: a.b/c, valueExpression: string(claims.email_verified) }] }',
    ]
    for (const rest of verified)
      t.equal(authenticationFault(server, `{ ${head}, jwt: [{ ${issuer}, ${rest} }] }`), undefined, rest)
  },
)

t.test('GA-358 functions and types of an expression are judged as a real API server judges them', t => {
  const variables = { claims, user, request }
  for (const name of Object.keys(variables) as (keyof typeof variables)[]) {
    const expected = { variable: variables[name], isBool: true }
    for (const expression of soundExpressions[name])
      t.equal(expressionFault(expression, expected), undefined, expression)
    for (const [expression, fault] of unsoundExpressions[name])
      matches(t, expressionFault(expression, expected) ?? '', fault, expression)
  }
  t.end()
})

t.test('GA-334 GA-357 an authorization configuration is judged as Gardener judges that of a Shoot', async t => {
  const server = { garden: 'garden', withKubeconfig: ['one', 'two', 'One'] }
  const purpose = 'authorization configuration'
  const config = (rest: string) =>
    `{ apiVersion: apiserver.config.k8s.io/v1, kind: AuthorizationConfiguration, authorizers: ${rest} }`
  const sound = 'timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: Deny'
  const webhook = (change: string, name = 'one') => `{ type: Webhook, name: ${name}, webhook: { ${change} } }`
  const errors = (...all: string[]) => `provided invalid ${purpose}: [${all.join(' ')}]`
  const at = '[].authorizers[0]'
  const rows: Row[] = [
    [authorizers('one', 'two'), undefined],
    [config(`[${webhook(`${sound}, cacheAuthorizedRequests: false, authorizedTTL: 0s`)}]`), undefined],
    [config('[]'), errors('[].authorizers: Required value: at least one authorization mode must be defined')],
    [
      config(`[${webhook(`${sound}, connectionInfo: { type: InClusterConfig }`)}]`),
      errors('authorizers[0].connectionInfo: Forbidden: connectionInfo is not allowed to be set'),
    ],
    [
      config(`[${webhook(sound, 'three')}]`),
      `provided invalid ${purpose}: must provide kubeconfig secret name reference for webhook authorizer "three" in garden garden`,
    ],
    [
      config('[{}, { type: RBAC }]'),
      errors(
        `${at}.type: Required value`,
        '[].authorizers[1].type: Unsupported value: "RBAC": supported values: "Webhook"',
      ),
    ],
    [
      config('[{ type: Webhook }]'),
      errors(`${at}.name: Required value`, `${at}.webhook: Required value: required when type=Webhook`),
    ],
    [config(`[${webhook(sound)}, ${webhook(sound)}]`), errors('[].authorizers[1].name: Duplicate value: "one"')],
    [
      config(`[${webhook(sound, 'One')}]`),
      errors(`${at}.name: Invalid value: "One": authorizer name is invalid: ${subdomainDetail}`),
    ],
    [
      config(
        `[${webhook('matchConditions: [{ expression: has(request.uid) }, { expression: has(request.uid) }, {}]')}]`,
      ),
      errors(
        `${at}.timeout: Required value`,
        `${at}.subjectAccessReviewVersion: Required value`,
        `${at}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`,
        `${at}.failurePolicy: Required value`,
        `${at}.matchConditions[1].expression: Duplicate value: "has(request.uid)"`,
        `${at}.matchConditions[2].expression: Required value`,
      ),
    ],
    [
      config(
        `[${webhook('timeout: 31s, authorizedTTL: -1s, unauthorizedTTL: a, subjectAccessReviewVersion: v2, matchConditionSubjectAccessReviewVersion: v1beta1, failurePolicy: Allow')}]`,
      ),
      errors(
        `${at}.timeout: Invalid value: "31s": must be > 0s and <= 30s`,
        `${at}.authorizedTTL: Invalid value: "-1s": must be > 0s`,
        `${at}.unauthorizedTTL: Invalid value: "a": must be a duration such as 10s`,
        `${at}.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"`,
        `${at}.matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"`,
        `${at}.failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"`,
      ),
    ],
    [
      config(
        `[${webhook(`${sound}, matchConditionSubjectAccessReviewVersion: v1, matchConditions: [${'{},'.repeat(65)}]`)}]`,
      ),
      errors(`${at}.matchConditions: Too many: 65: must have at most 64 items`),
    ],
    [
      config(
        `[${webhook(`${sound}, matchConditionSubjectAccessReviewVersion: v1, matchConditions: [{ expression: request.user }, { expression: request.name == "" }, { expression: user == "a" }, { expression: has(request.resourceAttributes) }]`)}]`,
      ),
      errors(
        `${at}.matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool`,
        `${at}.matchConditions[1].expression: Invalid value: "request.name == \\"\\"": compilation failed: undefined field 'name'`,
        `${at}.matchConditions[2].expression: Invalid value: "user == \\"a\\"": compilation failed: undeclared reference to 'user'`,
      ),
    ],
    [
      config(`[${webhook(`${sound}, color: red`)}]`),
      `failed to decode the provided ${purpose}: strict decoding error: unknown field "authorizers[0].webhook.color"`,
    ],
  ]
  for (const [content, fault] of rows) t.equal(authorizationFault(server, content), fault, content)
})

t.test('GA-335 a kubeconfig is judged by what the API server uses of it', async t => {
  const fault = (content: string, usesContext = true) => kubeconfigFault({ usesContext }, content)
  const said = 'secret contains invalid kubeconfig:'
  const users = (user: string) => `users: [{ name: u, user: { ${user} } }]`
  const valid = 'these are the valid fields: [client-certificate-data client-key-data token username password]'
  t.equal(fault(webhookKubeconfig), undefined)
  for (const text of ['- a', 'a: [', 'plain']) t.equal(fault(text, false), `${said} it is not a YAML map`)
  t.equal(fault(users('token: a'), false), undefined)
  const rows: [user: string, fault: string][] = [
    ['client-certificate: /a', 'client certificate files are not supported (user "u")'],
    ['client-key: /a', 'client key files are not supported (user "u")'],
    ['tokenFile: /a', 'token files are not supported (user "u")'],
    ['as: admin', 'impersonation is not supported'],
    ['as-groups: [admins]', 'impersonation is not supported'],
    ['auth-provider: { config: { a: b } }', 'auth provider configurations are not supported (user "u")'],
    ['exec: { command: a }', 'exec configurations are not supported (user "u")'],
  ]
  for (const [user, text] of rows) t.equal(fault(users(user), false), `${said} ${text}, ${valid}`)
  const without = (from: string, to: string) => fault(webhookKubeconfig.replace(from, to))
  t.equal(without('current-context: webhook', ''), `${said} context was not found for specified context: `)
  t.equal(without('server: https://webhook.example.com', 'server: ""'), `${said} no server found for cluster "webhook"`)
  t.equal(without('user: webhook', 'user: other'), `${said} user "other" was not found for context "webhook"`)
  t.equal(
    without('server:', 'certificate-authority: /ca.crt\n      server:'),
    `${said} unable to read certificate-authority /ca.crt for webhook: use certificate-authority-data`,
  )
})
