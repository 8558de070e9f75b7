// Everything else the spec has, drawn from its schema.
import { useT } from '../../i18n'
import { Section } from '../../ui/basic'
import { SpecField } from '../../ui/schema-form'
import type { DraftHandle } from './use-draft'

const kParts = ['os', 'etcd', 'runtime', 'registry', 'storage', 'hooks', 'steps', 'limits']
const kKubernetes = ['dnsDomain', 'dns', 'tuning', 'featureGates', 'audit', 'encryption', 'certificates']

export function OptionsStep({ handle }: { handle: DraftHandle }) {
  const t = useT()
  return (
    <div className="step">
      <Section title="Kubernetes" note={t('options.note')}>
        <SpecField handle={handle} path={['spec', 'kubernetes', 'version']} />
        {kKubernetes.map((part) => (
          <SpecField key={part} handle={handle} path={['spec', 'kubernetes', part]} />
        ))}
      </Section>
      <Section title={t('options.machines')}>
        {kParts.map((part) => (
          <SpecField key={part} handle={handle} path={['spec', part]} />
        ))}
      </Section>
    </div>
  )
}
