//! User agents by family, operating system and whether they are robots, as uap-core's list names them. Each worker
//! counts the agents of its batch; each distinct one is looked up once and then found by its text.
//!
//! The names of an agent depend on its text alone, so the cache changes no figure.

mod list;
mod rules;

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, LazyLock, Mutex};

use urimill_base::locks::lock;

use super::figure::Figure;
use super::partial::Partial;
use super::shown;
use list::{FILE, Lists};
use rules::{Marks, Rules};

/// The most agents that are remembered; then all are forgotten at once.
const MOST: usize = 1 << 14;

/// The name if no rule matches.
const OTHER: &str = "Other";

/// The device of robots in uap-core's list.
const ROBOT: &str = "Spider";

/// The names of an agent.
#[derive(Debug, PartialEq, Eq)]
struct Class {
    family: String,
    system: String,
    is_robot: bool,
}

/// The lists, for all threads; built when the first agent of the process comes. `None` if the file is malformed, which
/// a test rules out.
static LISTS: LazyLock<Option<[Rules; 3]>> = LazyLock::new(|| {
    let Lists { families, systems, mut devices, .. } = list::read(FILE);
    // The rules after the last one for robots only distinguish other devices.
    let robots = devices.iter().rposition(|rule| rule.name.as_deref() == Some(ROBOT));
    devices.truncate(robots.map_or(0, |last| last + 1));
    // The same lengths of words as in ua-parser.
    Some([Rules::new(families, 3)?, Rules::new(systems, 3)?, Rules::new(devices, 2)?])
});

impl Class {
    fn of(agent: &str, marks: &mut Marks) -> Class {
        let [family, system, device] = match &*LISTS {
            Some(lists) => lists.each_ref().map(|rules| rules.name(agent, marks)),
            None => [None, None, None],
        };
        Class {
            family: family.unwrap_or_else(|| OTHER.to_owned()),
            system: system.unwrap_or_else(|| OTHER.to_owned()),
            is_robot: device.as_deref() == Some(ROBOT),
        }
    }
}

/// The agents of a run.
#[derive(Debug, Default)]
pub(super) struct Agents {
    known: Mutex<HashMap<Box<str>, Arc<Class>>>,
}

impl Agents {
    /// Whether the figure is counted here.
    pub(super) fn counts(figure: Figure) -> bool {
        matches!(figure, Figure::AgentFamily | Figure::OperatingSystem | Figure::Robot)
    }

    /// Counts the agents of a batch.
    pub(super) fn count(&self, partial: &mut Partial) {
        let agents = mem::take(&mut partial.texts[Figure::Agent as usize]);
        let texts: Vec<(Cow<'_, str>, u64)> =
            agents.iter().map(|(agent, sum)| (shown(agent, false), sum)).collect();
        for ((_, sum), class) in texts.iter().zip(self.classes(&texts)) {
            partial.add(Figure::AgentFamily, &class.family, *sum);
            partial.add(Figure::OperatingSystem, &class.system, *sum);
            if class.is_robot {
                partial.add(Figure::Robot, &class.family, *sum);
            }
        }
        drop(texts);
        partial.texts[Figure::Agent as usize] = agents;
    }

    fn classes(&self, agents: &[(Cow<'_, str>, u64)]) -> Vec<Arc<Class>> {
        let mut classes: Vec<Option<Arc<Class>>> = {
            let known = lock(&self.known);
            agents.iter().map(|(agent, _)| known.get(&**agent).cloned()).collect()
        };
        // Unlocked, because other threads need the cache while this takes its time.
        let (mut found, mut marks) = (Vec::new(), Marks::default());
        for ((agent, _), class) in agents.iter().zip(&mut classes).filter(|(_, class)| class.is_none()) {
            let new = Arc::new(Class::of(agent, &mut marks));
            found.push((Box::from(&**agent), Arc::clone(&new)));
            *class = Some(new);
        }
        if !found.is_empty() {
            let mut known = lock(&self.known);
            for (agent, class) in found {
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(agent, class);
            }
        }
        classes.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::list::Rule;
    use super::*;

    /// Agents of servers' logs, with the names by uap-core of August 2026.
    #[test]
    fn agents_are_what_the_list_says() {
        let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0";
        for (agent, family, system, is_robot) in [
            (
                &*format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {chrome} Safari/537.36"),
                "Chrome",
                "Windows",
                false,
            ),
            (
                &format!("Mozilla/5.0 (Linux; Android 13; CUBOT X50) {chrome} Mobile Safari/537.36"),
                "Chrome Mobile",
                "Android",
                false,
            ),
            (
                "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:99.0) Gecko/20100101 Firefox/99.0",
                "Firefox",
                "Ubuntu",
                false,
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Googlebot",
                "Other",
                true,
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 8_3 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) \
                 Version/8.0 Mobile/12F70 Safari/600.1.4 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Googlebot",
                "iOS",
                true,
            ),
            ("curl/8.5.0", "curl", "Other", false),
            ("", "Other", "Other", false),
            ("-", "Other", "Other", false),
            ("\u{202e}é", "Other", "Other", false),
        ] {
            let class = Class::of(agent, &mut Marks::default());
            assert_eq!(
                (&*class.family, &*class.system, class.is_robot),
                (family, system, is_robot),
                "{agent}"
            );
        }
    }

    /// The crate of the ua-parser project reads the same file and builds all rules at once.
    #[test]
    fn agents_are_what_ua_parser_says() {
        use ua_parser::{device, os, user_agent};
        let Lists { families, systems, devices, .. } = list::read(FILE);
        let mut own = (user_agent::Builder::new(), os::Builder::new(), device::Builder::new());
        for Rule { regex, name, .. } in families {
            let rule = user_agent::Parser { regex, family_replacement: name, ..Default::default() };
            own.0 = own.0.push(rule).expect("a rule");
        }
        for Rule { regex, name, .. } in systems {
            own.1 =
                own.1.push(os::Parser { regex, os_replacement: name, ..Default::default() }).expect("a rule");
        }
        for Rule { regex, name, ignores_case } in devices {
            let regex_flag = ignores_case.then_some(device::Flag::IgnoreCase);
            let rule = device::Parser { regex, regex_flag, device_replacement: name, ..Default::default() };
            own.2 = own.2.push(rule).expect("a rule");
        }
        let built = "the rules fit together";
        let (families, systems, devices) =
            (own.0.build().expect(built), own.1.build().expect(built), own.2.build().expect(built));
        let (mut robots, mut marks) = (0, Marks::default());
        let agents = made();
        for agent in &agents {
            let or_other =
                |name: Option<String>| name.filter(|name| !name.is_empty()).unwrap_or(OTHER.to_owned());
            let expected = Class {
                family: or_other(families.extract(agent).map(|found| found.family.trim().to_owned())),
                system: or_other(systems.extract(agent).map(|found| found.os.into_owned())),
                is_robot: devices.extract(agent).is_some_and(|found| found.device == ROBOT),
            };
            assert_eq!(Class::of(agent, &mut marks), expected, "{agent}");
            robots += usize::from(expected.is_robot);
        }
        assert!(robots > agents.len() / 20 && robots < agents.len() / 2, "{robots} of {}", agents.len());
    }

    /// Agents made of words of the list and of parts of real ones.
    fn made() -> Vec<String> {
        let lists = list::read(FILE);
        let words: Vec<String> = [lists.families, lists.systems, lists.devices]
            .iter()
            .flatten()
            .map(|rule| {
                rule.regex
                    .chars()
                    .filter(|c| c.is_ascii_alphanumeric() || " /;.-".contains(*c))
                    .take(40)
                    .collect()
            })
            .collect();
        let ends = [
            "",
            "/1.2.3",
            " (compatible; Bot/1.0)",
            " Mobile Safari/537.36",
            "; Linux) Build/A",
            " Chrome/99 OPR/1",
        ];
        let begins = [
            "",
            "Mozilla/5.0 (",
            "Mozilla/5.0 (Linux; Android 9; ",
            "Mozilla/5.0 (Windows NT 6.1) ",
            "Opera/9 (",
        ];
        let mut random = urimill_testkit::random::Random(1);
        let mut pick = move |most: usize| (random.next() % most as u64) as usize;
        (0..4000).map(|_| [begins[pick(5)], &words[pick(words.len())], ends[pick(6)]].concat()).collect()
    }

    /// The cache changes no result, and is bounded.
    #[test]
    fn agents_are_forgotten_in_time() {
        let agents = Agents::default();
        for from in [0, 3 * MOST / 4, 0] {
            let texts: Vec<_> =
                (from..from + MOST / 2).map(|n| (Cow::from(format!("curl/8.{n}")), 1)).collect();
            let classes = agents.classes(&texts);
            assert_eq!(classes.len(), texts.len());
            assert!(classes.iter().all(|class| class.family == "curl"));
            assert!(lock(&agents.known).len() <= MOST);
        }
    }
}
