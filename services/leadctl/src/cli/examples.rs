//! What stands below the options when a command explains itself.

pub(super) const LEADCTL: &str = "\
Configuration:
  Addresses and secrets are read from .local/leadctl.toml, looked for in the current directory and
  those above it (`cargo xtask up` writes one), or from the file of --config:

    address = \"http://127.0.0.1:50051\"
    token = \"...\"
    amqp = \"amqp://operator:...@127.0.0.1:5672/%2f\"   (for dead letters)
    time_zone = \"Asia/Singapore\"                      (unless that is where you are)

    [canary]                                          (for `leadctl canary`)
    site = \"http://localhost:8080\"
    anon_key = \"zg-anon-local\"
    key = \"...\"

Exit status:
  0 done, 1 no such lead, person, delivery or message (or several), or not confirmed, 64 wrong usage or
  configuration, 69 the CRM, the broker or the site cannot be reached, 70 it failed, 74 output failed,
  75 a canary did not arrive in time, 77 it does not accept who asks, 130 interrupted.

Examples:
  leadctl list --since today
  leadctl show zg-7f3k-2q
  leadctl set-state zg-7f3k-2q contacted --owner Mei
  leadctl stats --days 7
  leadctl export --output leads.xlsx
  leadctl person export wei@example.com
  leadctl dead list";

pub(super) const LIST: &str = "\
Examples:
  leadctl list --state new --since \"1d ago\"      what nobody has seen to since yesterday
  leadctl list chen                              who is called chen..., or writes from chen...
  leadctl list 4567                              whose number ends with these digits
  leadctl list --interest showflat --owner Mei
  leadctl list --suspicious --limit 500
  leadctl list --limit 5000 --json | jq -r .email";

pub(super) const WATCH: &str = "\
Examples:
  leadctl watch
  leadctl watch --language zh --suspicious=no";

pub(super) const SET_STATE: &str = "\
Examples:
  leadctl set-state zg-7f3k-2q contacted
  leadctl set-state zg-7f3k-2q visiting --owner Mei
  leadctl set-state zg-7f3k-2q --no-owner";

pub(super) const STATS: &str = "\
Examples:
  leadctl stats
  leadctl stats --days 7
  leadctl stats --since 2026-03-01 --json";

pub(super) const EXPORT: &str = "\
What a visitor typed is text in every format. In CSV an apostrophe stands before what a spreadsheet
would take for a formula, a number or a date.

Examples:
  leadctl export --output leads.xlsx
  leadctl export --csv --since 2026-03-01 --until 2026-03-31 > march.csv
  leadctl export --json --state new | jq -r .mobile";

pub(super) const PERSON_EXPORT: &str = "\
Examples:
  leadctl person export wei@example.com --output wei.json
  leadctl person export \"+65 9123 4567\"";

pub(super) const PERSON_ERASE: &str = "\
Looks first, shows what there is and asks. May be run again, whatever went wrong before: what is erased stays so.
It does not reach mails that were sent, exports and backups, nor a lead that is still on its way to the CRM:
when crm-sync.leads is not empty, run it again once it is.

Examples:
  leadctl person erase wei@example.com
  leadctl person erase \"+65 9123 4567\" --yes";

pub(super) const DEAD_LIST: &str = "\
Examples:
  leadctl dead list
  leadctl dead list --recipient sales@zyon.example --since 1d
  leadctl dead list --json | jq -r .lead_id";

pub(super) const DEAD_REPLAY: &str = "\
Examples:
  leadctl dead replay zg-7f3k-2q
  leadctl dead replay --since 2h
  leadctl dead replay --all --recipient sales@zyon.example";

pub(super) const DEAD_DISCARD: &str = "\
Examples:
  leadctl dead discard zg-7f3k-2q --why \"a test of ours\"
  leadctl dead discard --all --recipient gone@zyon.example --why \"has left\"";

pub(super) const MESSAGES_REPLAY: &str = "\
Examples:
  leadctl dead messages replay zg-7f3k-2q
  leadctl dead messages replay --since 2h
  leadctl dead messages replay --all --queue notifier";

pub(super) const MESSAGES_DISCARD: &str = "\
Examples:
  leadctl dead messages discard m-9bfbab74";

pub(super) const CANARY: &str = "\
Prints how long it took until it was accepted, stored and mailed. With --every it goes on after one that did not arrive.

Examples:
  leadctl canary
  leadctl canary --every 5m --json";

pub(super) const COMPLETIONS: &str = "\
Examples:
  leadctl completions bash > ~/.local/share/bash-completion/completions/leadctl
  leadctl completions zsh > ~/.zfunc/_leadctl
  leadctl completions fish > ~/.config/fish/completions/leadctl.fish";
