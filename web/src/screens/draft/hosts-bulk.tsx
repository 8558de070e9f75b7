import { useState } from 'react'
import { useT } from '../../i18n'
import { kRoles } from '../../model/hostlist'
import type { Host } from '../../model/spec'
import { Button } from '../../ui/basic'
import { toggled } from './hosts-row'

interface BulkProps {
  count: number
  update: (next: (host: Host) => Host) => void
  remove: () => void
  login: () => void
  edit: () => void
  clear: () => void
}

export function BulkBar({ count, update, remove, login, edit, clear }: BulkProps) {
  const t = useT()
  const [user, setUser] = useState('')
  const giveRole = (role: string) => update((host) => (host.roles.includes(role) ? host : { ...host, roles: toggled(host.roles, role) }))
  const takeRole = (role: string) => update((host) => (host.roles.includes(role) ? { ...host, roles: toggled(host.roles, role) } : host))
  const choose = (work: (role: string) => void) => (event: { target: { value: string } }) => {
    if (event.target.value) work(event.target.value)
    event.target.value = ''
  }
  return (
    <div className="bulk" role="toolbar" aria-label={t('bulk.title')}>
      <b>{t('bulk.selected', { n: count })}</b>
      <select className="small" aria-label={t('bulk.give-role')} defaultValue="" onChange={choose(giveRole)}>
        <option value="">{t('bulk.give-role')}</option>
        {kRoles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>
      <select className="small" aria-label={t('bulk.take-role')} defaultValue="" onChange={choose(takeRole)}>
        <option value="">{t('bulk.take-role')}</option>
        {kRoles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          update((host) => ({ ...host, user: user || undefined }))
        }}
      >
        <input className="small" aria-label={t('bulk.user')} placeholder={t('bulk.user')} value={user} onChange={(event) => setUser(event.target.value)} />
        <Button type="submit">{t('bulk.set-user')}</Button>
      </form>
      <Button onClick={edit}>{t('bulk.edit')}</Button>
      <Button onClick={login}>{t('bulk.login')}</Button>
      <Button kind="danger" onClick={remove}>
        {t('bulk.remove')}
      </Button>
      <Button kind="quiet" onClick={clear}>
        {t('bulk.clear')}
      </Button>
    </div>
  )
}
