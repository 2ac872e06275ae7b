// The domains of the measurements: trains, restaurants, a shop, reminders, training and an issue tracker. Nothing is tuned on them.

import { choice, clock, date, flag, list, number, object, type ToolDomain, text, whole } from './tool-domain.ts';

const stations = ['Bern', 'Lyon', 'Milan', 'Ghent', 'Cologne', 'Prague', 'Porto'] as const;
const classes = ['first', 'second'] as const;

const trains: ToolDomain = {
  tools: [
    {
      name: 'search_trains',
      description: 'Trains between two cities on a day.',
      parameters: object({
        from: text('city of departure'),
        to: text('city of arrival'),
        date: date('the day'),
        leaves_after: clock('earliest departure', { default: '00:00' }),
        max_changes: whole('0 for direct trains alone', { default: 3 }),
      }),
    },
    {
      name: 'buy_ticket',
      description: 'Buys a ticket for one train and these travellers.',
      parameters: object({
        train: text('as TR-1234'),
        travellers: list(object({ name: text('first name'), age: whole('in years') }), 'in the order of the request'),
        class: choice(classes, 'which class', { default: 'second' }),
        seat: {
          ...object({
            place: choice(['window', 'aisle'], 'which seat', { default: 'window' }),
            quiet: flag('in the quiet coach', false),
          }),
          default: { place: 'window', quiet: false },
        },
      }),
    },
    {
      name: 'train_status',
      description: 'Delay and platform of a train.',
      parameters: object({ train: text('as TR-1234'), date: date('the day') }),
    },
    {
      name: 'exchange_ticket',
      description: 'Changes a ticket to the same connection on another day.',
      parameters: object({
        ticket: text('as TI-1234'),
        new_date: date('the new day'),
        class: choice(classes, 'new class', { default: 'second' }),
      }),
    },
    {
      name: 'refund_ticket',
      description: 'Gives a ticket back.',
      parameters: object({ ticket: text('as TI-1234'), as_voucher: flag('a voucher instead of money', false) }),
    },
  ],
  wishes: [
    {
      tool: 'search_trains',
      kind: 'computed',
      vague: 'Find a train for tomorrow at eight in the morning.',
      draw: (drawn) => {
        const [from, to] = drawn.some(stations, 2);
        const [[day, date_], [time, leaves_after], isDirect] = [drawn.coming(), drawn.time(), drawn.chance(0.5)];
        return {
          says: `Find ${isDirect ? 'direct trains' : 'trains'} from ${from} to ${to} ${day}, not before ${time}.`,
          arguments: { from, to, date: date_, leaves_after, ...(isDirect && { max_changes: 0 }) },
        };
      },
    },
    {
      tool: 'buy_ticket',
      kind: 'long',
      vague: 'Buy a ticket in the first class.',
      draw: (drawn) => {
        const [train, names, which, isQuiet] = [
          drawn.id('TR'),
          drawn.some(['Ida', 'Jon', 'Mia', 'Noa', 'Sam'], 2),
          drawn.one(classes),
          drawn.chance(0.5),
        ];
        const travellers = names.map((name) => ({ name, age: drawn.between(8, 70) }));
        return {
          says: `Buy a ticket in the ${which} class of train ${train} for ${travellers.map(({ name, age }) => `${name}, who is ${age}`).join(', and ')}. They want the aisle${isQuiet ? ' in the quiet coach' : ''}.`,
          arguments: { train, travellers, class: which, seat: { place: 'aisle', ...(isQuiet && { quiet: true }) } },
        };
      },
    },
    {
      tool: 'train_status',
      kind: 'computed',
      vague: 'Look up whether the train of today is late.',
      draw: (drawn) => {
        const [train, [said, day]] = [drawn.id('TR'), drawn.coming()];
        return { says: `Look up the platform of train ${train} ${said}.`, arguments: { train, date: day } };
      },
    },
    {
      tool: 'exchange_ticket',
      kind: 'computed',
      vague: 'Change my ticket to tomorrow.',
      draw: (drawn) => {
        const [ticket, [said, new_date], isFirst] = [drawn.id('TI'), drawn.coming(), drawn.chance(0.5)];
        return {
          says: `Change ticket ${ticket} to ${said}${isFirst ? ', in the first class' : ''}.`,
          arguments: { ticket, new_date, ...(isFirst && { class: 'first' }) },
        };
      },
    },
    {
      tool: 'refund_ticket',
      kind: 'plain',
      vague: 'Give my ticket back.',
      draw: (drawn) => {
        const [ticket, as_voucher] = [drawn.id('TI'), drawn.chance(0.5)];
        return {
          says: `Give ticket ${ticket} back${as_voucher ? '; a voucher is fine' : ' for money'}.`,
          arguments: { ticket, as_voucher },
        };
      },
    },
  ],
};

const cuisines = ['italian', 'indian', 'mexican', 'japanese', 'greek'] as const;
const towns = ['Malmö', 'Turin', 'Leeds', 'Nantes', 'Bilbao'] as const;
const dishes = ['lasagne', 'dal', 'tacos', 'ramen', 'moussaka', 'green salad'] as const;

const restaurants: ToolDomain = {
  tools: [
    {
      name: 'find_restaurants',
      description: 'Restaurants of a town by cuisine.',
      parameters: object({
        town: text('name of the town'),
        cuisine: choice(cuisines, 'which cuisine'),
        max_price: choice(['low', 'middle', 'high'], 'dearest class of prices', { default: 'high' }),
        outside: flag('tables in the open', false),
      }),
    },
    {
      name: 'reserve_table',
      description: 'Reserves a table in a restaurant that is known by its id.',
      parameters: object({
        restaurant: text('as RE-1234'),
        date: date('the day'),
        time: clock('when'),
        people: whole('how many, with the user'),
        high_chairs: whole('for small children', { default: 0 }),
      }),
    },
    {
      name: 'order_food',
      description: 'Has dishes of a restaurant brought to an address.',
      parameters: object({
        restaurant: text('as RE-1234'),
        dishes: list(
          object({ name: text('of the dish, in lower case'), count: whole('how many') }),
          'in the order of the request',
        ),
        address: object({ street: text('with its number'), town: text('name of the town') }),
        cutlery: flag('with knives and forks', true),
      }),
    },
    {
      name: 'cancel_table',
      description: 'Cancels the reservation of a table.',
      parameters: object({ reservation: text('as RS-1234') }),
    },
  ],
  wishes: [
    {
      tool: 'find_restaurants',
      kind: 'plain',
      vague: 'Find restaurants with tables outside.',
      draw: (drawn) => {
        const [town, cuisine, max_price] = [drawn.one(towns), drawn.one(cuisines), drawn.one(['low', 'middle'])];
        const outside = drawn.chance(0.5);
        return {
          says: `Find ${cuisine[0]!.toUpperCase()}${cuisine.slice(1)} restaurants in ${town} with ${max_price} prices at most${outside ? ' where we can sit outside' : ''}.`,
          arguments: { town, cuisine, max_price, ...(outside && { outside }) },
        };
      },
    },
    {
      tool: 'reserve_table',
      kind: 'computed',
      vague: 'Reserve a table for four people.',
      draw: (drawn) => {
        const [restaurant, [day, date_], [said, time], friends, chairs] = [
          drawn.id('RE'),
          drawn.coming(),
          drawn.time(),
          drawn.between(2, 6),
          drawn.between(0, 2),
        ];
        return {
          says: `Reserve a table at ${restaurant} ${day} at ${said} for me and my ${friends} friends${chairs > 0 ? `, with ${chairs === 1 ? 'a high chair' : 'two high chairs'}` : ''}.`,
          arguments: { restaurant, date: date_, time, people: friends + 1, ...(chairs > 0 && { high_chairs: chairs }) },
        };
      },
    },
    {
      tool: 'order_food',
      kind: 'long',
      vague: 'Have two portions of lasagne brought to me.',
      draw: (drawn) => {
        const [restaurant, names, town] = [drawn.id('RE'), drawn.some(dishes, 2), drawn.one(towns)];
        const ordered = names.map((name) => ({ name, count: drawn.between(2, 5) }));
        const [street, isBare] = [
          `${drawn.one(['Mill Lane', 'High Street', 'Park Road'])} ${drawn.between(2, 90)}`,
          drawn.chance(0.4),
        ];
        return {
          says: `Have ${ordered.map(({ name, count }) => `${count} portions of ${name}`).join(' and ')} brought from ${restaurant} to ${street} in ${town}${isBare ? ', without knives and forks' : ''}.`,
          arguments: { restaurant, dishes: ordered, address: { street, town }, ...(isBare && { cutlery: false }) },
        };
      },
    },
    {
      tool: 'cancel_table',
      kind: 'plain',
      vague: 'Cancel the table that we reserved.',
      draw: (drawn) => {
        const reservation = drawn.id('RS');
        return { says: `Cancel the table that I reserved as ${reservation}.`, arguments: { reservation } };
      },
    },
  ],
};

const product = text('as PR-1234');

const shop: ToolDomain = {
  tools: [
    {
      name: 'add_to_cart',
      description: 'Puts more of a product into the cart.',
      parameters: object({
        product,
        quantity: whole('how many more', { default: 1 }),
        gift_wrap: flag('wrapped as a present', false),
      }),
    },
    {
      name: 'set_cart_quantity',
      description: 'Says how many of a product the cart holds in all.',
      parameters: object({ product, quantity: whole('how many in all; 0 takes it out') }),
    },
    {
      name: 'watch_price',
      description: 'Tells the user when a product gets cheap.',
      parameters: object({
        product,
        below_cents: whole('euro cents'),
        by: choice(['email', 'sms'], 'how', { default: 'email' }),
      }),
    },
    {
      name: 'return_items',
      description: 'Sends items of an order back.',
      parameters: object({
        order: text('as OR-1234'),
        items: list(
          object({ product, reason: choice(['broken', 'too_small', 'too_large', 'unwanted'], 'why') }),
          'in the order of the request',
        ),
        pickup: {
          ...object({ date: date('the day'), from: clock('not before', { default: '08:00' }) }),
          description: 'when somebody fetches them',
        },
      }),
    },
    {
      name: 'track_order',
      description: 'Where an order is.',
      parameters: object({ order: text('as OR-1234'), details: flag('every stop on the way', false) }),
    },
  ],
  wishes: [
    {
      tool: 'add_to_cart',
      kind: 'computed',
      vague: 'Put three more into my cart.',
      draw: (drawn) => {
        const [which, own, gift_wrap] = [drawn.id('PR'), drawn.between(2, 5), drawn.chance(0.5)];
        const [said, count] = drawn.one([
          ['a dozen', 12],
          ['half a dozen', 6],
          [`${own} for me and ${own + 1} for my sister, so one order,`, 2 * own + 1],
        ] as const);
        return {
          says: `Put ${said} of ${which} into my cart${gift_wrap ? ', wrapped as a present' : ''}.`,
          arguments: { product: which, quantity: count, ...(gift_wrap && { gift_wrap }) },
        };
      },
    },
    {
      tool: 'set_cart_quantity',
      kind: 'computed',
      vague: 'Change the number of those in my cart to four.',
      draw: (drawn) => {
        const [which, now, more] = [drawn.id('PR'), drawn.between(2, 6), drawn.between(2, 5)];
        return drawn.chance(0.5)
          ? {
              says: `My cart holds ${now} of ${which}. Change that number to ${now + more}.`,
              arguments: { product: which, quantity: now + more },
            }
          : {
              says: `My cart holds ${now + more} of ${which}. Set its quantity so that there are ${more} fewer.`,
              arguments: { product: which, quantity: now },
            };
      },
    },
    {
      tool: 'watch_price',
      kind: 'computed',
      vague: 'Tell me when it costs less than 30 euros.',
      draw: (drawn) => {
        const [which, euros, cents, by] = [
          drawn.id('PR'),
          drawn.between(15, 99),
          drawn.between(10, 90, 10),
          drawn.one(['email', 'sms']),
        ];
        return {
          says: `Tell me by ${by === 'sms' ? 'SMS' : 'e-mail'} when ${which} costs less than ${euros} euros and ${cents} cents.`,
          arguments: { product: which, below_cents: 100 * euros + cents, by },
        };
      },
    },
    {
      tool: 'return_items',
      kind: 'long',
      vague: 'Send the shoes back, they are too small.',
      draw: (drawn) => {
        const [order, [day, date_], [time, from]] = [drawn.id('OR'), drawn.coming(), drawn.time()];
        const reasons = drawn.some(
          [
            ['is broken', 'broken'],
            ['is too small', 'too_small'],
            ['is too large', 'too_large'],
          ] as const,
          2,
        );
        const items = reasons.map(([said, reason]) => ({ said, reason, product: drawn.id('PR') }));
        return {
          says: `Send two items of order ${order} back: ${items.map((each) => `${each.product}, which ${each.said}`).join(', and ')}. Somebody may fetch them ${day}, not before ${time}.`,
          arguments: {
            order,
            items: items.map(({ product, reason }) => ({ product, reason })),
            pickup: { date: date_, from },
          },
        };
      },
    },
    {
      tool: 'track_order',
      kind: 'plain',
      vague: 'Look up where my order is.',
      draw: (drawn) => {
        const [order, details] = [drawn.id('OR'), drawn.chance(0.5)];
        return {
          says: `Look up where order ${order} is${details ? ', with every stop on its way' : ''}.`,
          arguments: { order, ...(details && { details }) },
        };
      },
    },
  ],
};

const priority = choice(['low', 'normal', 'high'], 'how much it matters', { default: 'normal' });
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const reminders: ToolDomain = {
  tools: [
    {
      name: 'set_timer',
      description: 'Rings once after a while.',
      parameters: object({ seconds: whole('from now on'), label: text('what it is for', { default: '' }) }),
    },
    {
      name: 'set_alarm',
      description: 'Rings at a time of day, once or on days of the week.',
      parameters: object({
        time: clock('when'),
        days: list(choice(weekdays, 'a day'), 'in the order of the week; none for once', { default: [] }),
        snooze_minutes: whole('between rings', { default: 9 }),
      }),
    },
    {
      name: 'create_task',
      description: 'Puts a new task on the list.',
      parameters: object({ title: text('as the user says it'), due: date('last day'), priority }),
    },
    {
      name: 'postpone_task',
      description: 'Gives a task of the list another day.',
      parameters: object({ task: text('as TA-1234'), due: date('new last day') }),
    },
    {
      name: 'complete_task',
      description: 'Marks tasks of the list as done.',
      parameters: object({ tasks: list(text('as TA-1234'), 'in the order of the request') }),
    },
  ],
  wishes: [
    {
      tool: 'set_timer',
      kind: 'computed',
      vague: 'Set a timer for my tea.',
      draw: (drawn) => {
        const [minutes, half, label] = [drawn.between(2, 12), drawn.chance(0.5), drawn.one(['pasta', 'tea', 'cake'])];
        return {
          says: `Set a timer labelled "${label}" for ${minutes}${half ? ' and a half' : ''} minutes.`,
          arguments: { seconds: 60 * minutes + (half ? 30 : 0), label },
        };
      },
    },
    {
      tool: 'set_alarm',
      kind: 'computed',
      vague: 'Wake me with an alarm.',
      draw: (drawn) => {
        const [[said, time], isWeekend] = [drawn.time(), drawn.chance(0.5)];
        return {
          says: `Set an alarm for ${said} ${isWeekend ? 'on Saturdays and Sundays' : 'from Monday to Friday'}.`,
          arguments: { time, days: isWeekend ? weekdays.slice(5) : weekdays.slice(0, 5) },
        };
      },
    },
    {
      tool: 'create_task',
      kind: 'computed',
      vague: 'Put a task on my list for tomorrow.',
      draw: (drawn) => {
        const [title, [said, due], isUrgent] = [
          drawn.one(['Pay rent', 'Call the plumber', 'Renew passport', 'Water plants']),
          drawn.coming(),
          drawn.chance(0.5),
        ];
        return {
          says: `Put "${title}" on my list of tasks, due ${said}${isUrgent ? ', with high priority' : ''}.`,
          arguments: { title, due, ...(isUrgent && { priority: 'high' }) },
        };
      },
    },
    {
      tool: 'postpone_task',
      kind: 'computed',
      vague: 'Postpone my task to tomorrow.',
      draw: (drawn) => {
        const [task, [said, due]] = [drawn.id('TA'), drawn.coming()];
        return { says: `Postpone task ${task} to ${said}.`, arguments: { task, due } };
      },
    },
    {
      tool: 'complete_task',
      kind: 'plain',
      vague: 'Mark my tasks as done.',
      draw: (drawn) => {
        const tasks = [drawn.id('TA'), drawn.id('TA')];
        return { says: `Mark the tasks ${tasks.join(' and ')} as done.`, arguments: { tasks } };
      },
    },
  ],
};

const foods = ['rice', 'tofu', 'oats', 'salmon', 'yoghurt'] as const;

const fitness: ToolDomain = {
  tools: [
    {
      name: 'log_run',
      description: 'Keeps a run that the user made.',
      parameters: object({ date: date('the day'), kilometres: number('how far'), minutes: number('how long') }),
    },
    {
      name: 'plan_run',
      description: 'Plans a run that the user will make.',
      parameters: object({
        date: date('the day'),
        kilometres: number('how far'),
        pace: choice(['easy', 'steady', 'fast'], 'how fast', { default: 'easy' }),
      }),
    },
    {
      name: 'log_weight',
      description: 'Keeps what the user weighs.',
      parameters: object({ date: date('the day'), kilograms: number('weight') }),
    },
    {
      name: 'log_meal',
      description: 'Keeps what the user ate.',
      parameters: object({
        meal: choice(['breakfast', 'lunch', 'dinner', 'snack'], 'which'),
        foods: list(
          object({ name: text('of the food, in lower case'), grams: whole('how much') }),
          'in the order of the request',
        ),
        date: date('the day'),
      }),
    },
  ],
  wishes: [
    {
      tool: 'log_run',
      kind: 'computed',
      vague: 'Log the run that I made.',
      draw: (drawn) => {
        const [[said, date_], [length, minutes], metres] = [
          drawn.past(),
          drawn.length(),
          drawn.between(4500, 12_500, 500),
        ];
        return {
          says: `Log that I ran ${metres} metres ${said}, in ${length}.`,
          arguments: { date: date_, kilometres: metres / 1000, minutes },
        };
      },
    },
    {
      tool: 'plan_run',
      kind: 'computed',
      vague: 'Plan a fast run for me.',
      draw: (drawn) => {
        const [[said, date_], kilometres, pace] = [drawn.coming(), drawn.between(4, 20), drawn.one(['steady', 'fast'])];
        return {
          says: `Plan a ${pace} run of ${kilometres} kilometres for ${said}.`,
          arguments: { date: date_, kilometres, pace },
        };
      },
    },
    {
      tool: 'log_weight',
      kind: 'computed',
      vague: 'Log my weight of today.',
      draw: (drawn) => {
        const [grams, [said, date_]] = [drawn.between(61_000, 89_500, 500), drawn.past()];
        return {
          says: `Log that I weighed ${grams / 1000} kilograms ${said}.`,
          arguments: { date: date_, kilograms: grams / 1000 },
        };
      },
    },
    {
      tool: 'log_meal',
      kind: 'long',
      vague: 'Log what I had for lunch today.',
      draw: (drawn) => {
        const [meal, names, [said, date_]] = [
          drawn.one(['breakfast', 'lunch', 'dinner']),
          drawn.some(foods, 2),
          drawn.past(),
        ];
        const eaten = names.map((name) => ({ name, grams: drawn.between(50, 300, 10) }));
        return {
          says: `Log that for ${meal} I had ${eaten.map(({ name, grams }) => `${grams} grams of ${name}`).join(' and ')} ${said}.`,
          arguments: { meal, foods: eaten, date: date_ },
        };
      },
    },
  ],
};

const projects = ['web', 'mobile', 'billing'] as const;
const users = ['ada', 'bram', 'chen', 'dora'] as const;
const user = text('login name');
const issue = text('as IS-1234');

const tracker: ToolDomain = {
  tools: [
    {
      name: 'open_issue',
      description: 'Opens a new issue.',
      parameters: object(
        {
          project: choice(projects, 'which project'),
          title: text('as the user says it'),
          severity: choice(['minor', 'major', 'critical'], 'how bad', { default: 'minor' }),
          labels: list(choice(['bug', 'docs', 'security', 'speed'], 'a label'), 'in the order of the request', {
            default: [],
          }),
          assignee: {
            ...object({ login: user, notify: flag('tells the user', true) }),
            description: 'who works on it',
          },
        },
        'assignee',
      ),
    },
    {
      name: 'assign_issue',
      description: 'Gives an issue to a user.',
      parameters: object({ issue, login: user, notify: flag('tells the user', true) }),
    },
    {
      name: 'list_issues',
      description: 'Issues of a project.',
      parameters: object({
        project: choice(projects, 'which project'),
        state: choice(['open', 'closed', 'all'], 'which issues', { default: 'open' }),
        limit: whole('how many at most', { default: 20 }),
      }),
    },
    {
      name: 'close_issue',
      description: 'Closes an issue.',
      parameters: object({ issue, resolution: choice(['fixed', 'duplicate', 'rejected'], 'why') }),
    },
    {
      name: 'log_work',
      description: 'Keeps how long somebody worked on an issue.',
      parameters: object({ issue, minutes: whole('how long'), date: date('the day') }),
    },
  ],
  wishes: [
    {
      tool: 'open_issue',
      kind: 'long',
      vague: 'Open a new issue.',
      draw: (drawn) => {
        const [project, title, severity] = [
          drawn.one(projects),
          drawn.one(['Login fails', 'Page is slow', 'Wrong total', 'Crash on start']),
          drawn.one(['major', 'critical']),
        ];
        const [labels, login] = [drawn.some(['bug', 'security', 'speed'], 2), drawn.one(users)];
        return {
          says: `Open a ${severity} issue "${title}" in the project ${project} with the labels ${labels.join(' and ')}, and assign it to ${login} without a notification.`,
          arguments: { project, title, severity, labels, assignee: { login, notify: false } },
        };
      },
    },
    {
      tool: 'assign_issue',
      kind: 'plain',
      vague: 'Assign the issue to dora.',
      draw: (drawn) => {
        const [which, login, isQuiet] = [drawn.id('IS'), drawn.one(users), drawn.chance(0.5)];
        return {
          says: `Assign issue ${which} to ${login}${isQuiet ? ' without a notification' : ''}.`,
          arguments: { issue: which, login, ...(isQuiet && { notify: false }) },
        };
      },
    },
    {
      tool: 'list_issues',
      kind: 'plain',
      vague: 'List the issues of the project.',
      draw: (drawn) => {
        const [project, state, limit] = [drawn.one(projects), drawn.one(['open', 'closed']), drawn.between(3, 12)];
        return {
          says: `List at most ${limit} ${state} issues of the project ${project}.`,
          arguments: { project, state, limit },
        };
      },
    },
    {
      tool: 'close_issue',
      kind: 'plain',
      vague: 'Close the issue, it is fixed.',
      draw: (drawn) => {
        const which = drawn.id('IS');
        const [said, resolution] = drawn.one([
          ['it works now', 'fixed'],
          ['we have another one about the same', 'duplicate'],
          ['we will not do that', 'rejected'],
        ] as const);
        return { says: `Close issue ${which}: ${said}.`, arguments: { issue: which, resolution } };
      },
    },
    {
      tool: 'log_work',
      kind: 'computed',
      vague: 'Log two hours of work.',
      draw: (drawn) => {
        const [which, [length, minutes], [said, date_]] = [drawn.id('IS'), drawn.length(), drawn.past()];
        return {
          says: `Log ${length} of work on issue ${which} ${said}.`,
          arguments: { issue: which, minutes, date: date_ },
        };
      },
    },
  ],
};

export const heldDomains: readonly ToolDomain[] = [trains, restaurants, shop, reminders, fitness, tracker];
