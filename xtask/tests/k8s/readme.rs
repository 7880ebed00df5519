//! The commands of k8s/README.md, in their order, as far as they go without a cluster: the real kubectl reads each one's
//! flags and files before it finds no server; the names in them must be those of rendered objects.

use std::collections::BTreeSet;
use std::fs;

use crate::copy::{Copy, OVERLAYS, name, real_kubectl, repository};

/// Objects that operators make of ours, and what readers put in the place of a name.
const NOT_RENDERED: [&str; 6] =
    ["rabbitmq-server-0", "crm-sync-tls", "rabbitmq-topology", "leadctl", "operator-broker", "cert-manager"];

/// Notes each command that it was given, and those that kubectl does not understand.
const KUBECTL: &str = r#"#!/bin/sh
echo "$*" >>"$NOTES/commands"
case "$*" in
kustomize* | *--dry-run=client*) exec "$KUBECTL" "$@" ;;
"cnpg "*) exit ;;
*"get deployment crm-sync --ignore-not-found"*) cat "$NOTES/deployed"; exit ;;
*"get deployment --output name") echo deployment.apps/site ;;
*"port-forward deployment/"*" :"*) echo "Forwarding from 127.0.0.1:1 -> 1" ;;
*"get secret "*) ;;
*"--filename -"* | *"-f -"* | *"/dev/stdin"*) cat >"$NOTES/input" ;;
esac
said=$("$KUBECTL" "$@" 2>&1 <"$NOTES/input")
case $?$said in 0* | *refused*) ;; *) echo "kubectl $*: $said" >>"$NOTES/failures" ;; esac
"#;

/// A cluster that does not answer.
const KUBECONFIG: &str = r#"
apiVersion: v1
kind: Config
clusters: [{name: nowhere, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: nowhere, context: {cluster: nowhere}}]
current-context: nowhere
"#;

const OTHER: &str = "#!/bin/sh\necho \"${0##*/} $*\" >>\"$NOTES/commands\"\n";

/// The shell's blocks of a document, and the commands of ours within its sentences.
fn commands(document: &str) -> (Vec<&str>, Vec<String>) {
    let mut blocks = Vec::new();
    let mut sentences = String::new();
    for (number, part) in document.split("```").enumerate() {
        match part.strip_prefix("sh\n") {
            Some(block) if number % 2 == 1 => blocks.push(block),
            _ if number % 2 == 0 => sentences.push_str(part),
            _ => {}
        }
    }
    let quoted = sentences.split('`').skip(1).step_by(2);
    let of_ours = quoted
        .filter(|code| ["kubectl ", "k8s/"].iter().any(|start| code.starts_with(start)))
        // Shorter ones only speak of a command.
        .filter(|code| code.split_whitespace().count() > 2)
        .map(|code| code.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    (blocks, of_ours)
}

/// The objects that a command of kubectl names, as `kind/name` or `kind name`.
fn named(command: &str) -> Vec<&str> {
    const KINDS: [&str; 7] = ["deployment", "service", "secret", "scaledobject", "job", "gateway", "cluster"];
    let words: Vec<&str> = command.split(' ').collect();
    let is_name = |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    let is_kind = |word: &str| KINDS.contains(&word.split('.').next().unwrap_or_default());
    let one_word = words.iter().filter_map(|word| word.split_once('/')).filter(|(kind, _)| is_kind(kind));
    let two_words = words.windows(2).filter(|pair| is_kind(pair[0])).map(|pair| pair[1]);
    one_word.map(|(_, name)| name).chain(two_words).filter(is_name).collect()
}

#[test]
fn its_commands_work_in_their_order() {
    let copy = Copy::new();
    copy.stand_in("kubectl", KUBECTL);
    for program in ["kind", "docker", "helm", "leadctl", "curl"] {
        copy.stand_in(program, OTHER);
    }
    let notes = |name: &str| fs::read_to_string(copy.path(name)).unwrap_or_default();
    fs::write(copy.path("kubeconfig"), KUBECONFIG).expect("a file");
    fs::write(copy.path("yes"), "y\n").expect("a file");
    for file in ["input", "deployed"] {
        fs::write(copy.path(file), "").expect("a note");
    }
    let readme = fs::read_to_string(repository().join("k8s/README.md")).expect("the README");
    // Files that readers write: what they hold is in the document.
    for file in ["secrets.yaml", "mail-and-backups.yaml"] {
        assert!(readme.contains(file), "the README does not speak of {file}");
        fs::write(copy.path(file), "apiVersion: v1\nkind: Secret\nmetadata: {name: smtp}\n").expect("a file");
    }
    let (blocks, sentences) = commands(&readme);
    assert!(blocks.len() >= 6 && sentences.len() >= 10, "{} blocks, {sentences:?}", blocks.len());
    let run = |script: &str| {
        let ran = copy
            .shell(script)
            .env("NOTES", copy.path(""))
            .env("KUBECTL", real_kubectl())
            .env("HOME", copy.path(""))
            .env("KUBECONFIG", copy.path("kubeconfig"))
            // So that a manifest at an address is not fetched.
            .env("HTTPS_PROXY", "http://127.0.0.1:1")
            // What a reader answers.
            .stdin(fs::File::open(copy.path("yes")).expect("a file"))
            .output()
            .expect("the shell starts");
        let error = String::from_utf8_lossy(&ran.stderr);
        assert!(
            !["not found", "usage:", "No such file", "cannot open"].iter().any(|sign| error.contains(sign)),
            "{script}: {error}"
        );
        assert_eq!(notes("failures"), "", "{script}");
    };
    for block in blocks {
        run(block);
        fs::write(copy.path("deployed"), "deployment.apps/crm-sync\n").expect("a note");
    }
    let of_a_reader =
        |command: &String| command.split(' ').any(|word| word.chars().all(|each| each.is_ascii_uppercase()));
    sentences.iter().filter(|command| !of_a_reader(command)).for_each(|command| run(command));

    let other = Copy::new();
    let rendered: Vec<_> = OVERLAYS.iter().flat_map(|overlay| other.render(overlay)).collect();
    let mut known: BTreeSet<&str> = rendered.iter().map(name).collect();
    known.extend(NOT_RENDERED);
    let all = notes("commands");
    for step in
        ["delete job --selector", "wait job --selector", "rollout status deployment.apps/site", "get backups"]
    {
        assert!(all.contains(step), "nothing did {step:?}:\n{all}");
    }
    for command in all.lines() {
        for name in named(command) {
            assert!(
                known.contains(name) || command.contains("secret"),
                "no overlay has {name}: kubectl {command}"
            );
        }
    }
}
