// The domains for tuning, whose questions may be looked at: weather, calendar, hotels, bank, home and music.

import { choice, clock, date, flag, list, number, object, type ToolDomain, text, whole } from './tool-domain.ts';

const cities = ['Oslo', 'Lisbon', 'Nairobi', 'Osaka', 'Toronto', 'Lima', 'Tunis', 'Graz'] as const;
const units = choice(['celsius', 'fahrenheit'], 'unit of temperatures', { default: 'celsius' });

const weather: ToolDomain = {
  tools: [
    {
      name: 'current_weather',
      description: 'Weather in a city at this moment.',
      parameters: object({ city: text('name of the city'), unit: units }),
    },
    {
      name: 'weather_forecast',
      description: 'Weather of the coming days in a city.',
      parameters: object({
        city: text('name of the city'),
        days: whole('number of days', { minimum: 1, maximum: 16 }),
        hourly: flag('hour by hour instead of day by day', false),
        unit: units,
      }),
    },
    {
      name: 'weather_history',
      description: 'Weather that a city had on a day of the past.',
      parameters: object({ city: text('name of the city'), date: date('the day'), unit: units }),
    },
    {
      name: 'air_quality',
      description: 'Pollutants in the air of a city at this moment.',
      parameters: object({
        city: text('name of the city'),
        pollutants: list(choice(['pm25', 'pm10', 'ozone', 'no2', 'so2'], 'a pollutant'), 'in the order of the request'),
        index: choice(['european', 'american'], 'scale of the result', { default: 'european' }),
      }),
    },
  ],
  wishes: [
    {
      tool: 'current_weather',
      kind: 'plain',
      vague: 'Tell me what the weather is like in the city right now.',
      draw: (drawn) => {
        const [city, isAmerican] = [drawn.one(cities), drawn.chance(0.5)];
        return {
          says: `Tell me what the weather is like in ${city} right now${isAmerican ? ', in degrees Fahrenheit' : ''}.`,
          arguments: { city, ...(isAmerican && { unit: 'fahrenheit' }) },
        };
      },
    },
    {
      tool: 'weather_forecast',
      kind: 'computed',
      vague: 'Show me a forecast for the next days.',
      draw: (drawn) => {
        const city = drawn.one(cities);
        const [said, days] = drawn.one([
          ['week', 7],
          ['two weeks', 14],
          ['three days', 3],
          ['ten days', 10],
        ] as const);
        const hourly = drawn.chance(0.4);
        return {
          says: `Show me the forecast for ${city} for the next ${said}${hourly ? ', hour by hour' : ''}.`,
          arguments: { city, days, ...(hourly && { hourly }) },
        };
      },
    },
    {
      tool: 'weather_history',
      kind: 'computed',
      vague: 'Look up what the weather was in Oslo on that day.',
      draw: (drawn) => {
        const [city, [said, day]] = [drawn.one(cities), drawn.past()];
        return { says: `Look up what the weather was in ${city} ${said}.`, arguments: { city, date: day } };
      },
    },
    {
      tool: 'air_quality',
      kind: 'long',
      vague: 'Check the pollutants in the air of my city.',
      draw: (drawn) => {
        const city = drawn.one(cities);
        const named = drawn.some(
          [
            ['ozone', 'ozone'],
            ['no2', 'nitrogen dioxide'],
            ['so2', 'sulphur dioxide'],
            ['pm10', 'PM10'],
          ] as const,
          2,
        );
        const isAmerican = drawn.chance(0.4);
        return {
          says: `Check the air of ${city} for ${named.map(([, said]) => said).join(' and ')}${isAmerican ? ', on the American scale' : ''}.`,
          arguments: { city, pollutants: named.map(([name]) => name), ...(isAmerican && { index: 'american' }) },
        };
      },
    },
  ],
};

const titles = ['Budget review', 'Design sync', 'Yearly audit', 'Team lunch', 'Board call'] as const;
const people = ['ada', 'bram', 'chen', 'dora', 'emil', 'fatma'].map((name) => `${name}@example.org`);

const calendar: ToolDomain = {
  tools: [
    {
      name: 'create_event',
      description: 'Puts a new event into the calendar.',
      parameters: object({
        title: text('as the user says it'),
        date: date('the day'),
        start: clock('when it begins'),
        duration_minutes: whole('how long it takes', { default: 60 }),
        attendees: list(text('e-mail address'), 'who is invited, in the order of the request', { default: [] }),
        reminder: {
          ...object({
            minutes_before: whole('how long before the event'),
            channel: choice(['popup', 'email', 'sms'], 'how the reminder comes', { default: 'popup' }),
          }),
          default: { minutes_before: 10, channel: 'popup' },
        },
      }),
    },
    {
      name: 'move_event',
      description: 'Moves an event of the calendar to another time.',
      parameters: object({
        event_id: text('as EV-1234'),
        new_date: date('its new day'),
        new_start: clock('when it begins then'),
        notify: flag('tells the attendees', true),
      }),
    },
    {
      name: 'cancel_event',
      description: 'Takes an event out of the calendar.',
      parameters: object({ event_id: text('as EV-1234'), notify: flag('tells the attendees', true) }),
    },
    {
      name: 'find_free_time',
      description: 'Finds a gap in the calendar of one day.',
      parameters: object({
        date: date('the day'),
        minutes: whole('least length of the gap'),
        earliest: clock('not before', { default: '09:00' }),
      }),
    },
  ],
  wishes: [
    {
      tool: 'create_event',
      kind: 'long',
      vague: 'Put an event into my calendar for tomorrow.',
      draw: (drawn) => {
        const [title, [day, date_], [time, start], [length, minutes]] = [
          drawn.one(titles),
          drawn.coming(),
          drawn.time(),
          drawn.length(),
        ];
        const invited = drawn.some(people, drawn.between(1, 2));
        const before = drawn.between(15, 45, 15);
        return {
          says: `Put an event called "${title}" into my calendar ${day} at ${time}. It takes ${length}. Invite ${invited.join(' and ')} and remind me by e-mail ${before} minutes before.`,
          arguments: {
            title,
            date: date_,
            start,
            duration_minutes: minutes,
            attendees: invited,
            reminder: { minutes_before: before, channel: 'email' },
          },
        };
      },
    },
    {
      tool: 'move_event',
      kind: 'computed',
      vague: 'Move an event of mine to tomorrow at ten in the morning.',
      draw: (drawn) => {
        const [event, [day, new_date], [time, new_start]] = [drawn.id('EV'), drawn.coming(), drawn.time()];
        const isQuiet = drawn.chance(0.4);
        return {
          says: `Move event ${event} to ${day} at ${time}${isQuiet ? ' without telling the attendees' : ''}.`,
          arguments: { event_id: event, new_date, new_start, ...(isQuiet && { notify: false }) },
        };
      },
    },
    {
      tool: 'cancel_event',
      kind: 'plain',
      vague: 'Cancel one of my events.',
      draw: (drawn) => {
        const [event, isQuiet] = [drawn.id('EV'), drawn.chance(0.5)];
        return {
          says: `Cancel event ${event}${isQuiet ? ', and do not notify the attendees' : ''}.`,
          arguments: { event_id: event, ...(isQuiet && { notify: false }) },
        };
      },
    },
    {
      tool: 'find_free_time',
      kind: 'computed',
      vague: 'Find a gap in my calendar.',
      draw: (drawn) => {
        const [[day, date_], [length, minutes], [time, earliest]] = [drawn.coming(), drawn.length(), drawn.time()];
        return {
          says: `Find a gap of at least ${length} in my calendar ${day}, not before ${time}.`,
          arguments: { date: date_, minutes, earliest },
        };
      },
    },
  ],
};

const hotels: ToolDomain = {
  tools: [
    {
      name: 'search_hotels',
      description: 'Lists hotels of a city that have rooms.',
      parameters: object({
        city: text('name of the city'),
        check_in: date('the day of arrival'),
        nights: whole('number of nights'),
        guests: whole('number of people', { default: 2 }),
        filters: {
          ...object({
            min_stars: whole('least number of stars', { default: 1 }),
            max_price: number('most euros a night', { default: 1000 }),
            breakfast: flag('breakfast must be included', false),
          }),
          default: { min_stars: 1, max_price: 1000, breakfast: false },
        },
      }),
    },
    {
      name: 'book_hotel',
      description: 'Books rooms in a hotel that is known by its id.',
      parameters: object({
        hotel_id: text('as HO-1234'),
        check_in: date('the day of arrival'),
        check_out: date('the day of departure'),
        rooms: whole('number of rooms', { default: 1 }),
      }),
    },
    {
      name: 'cancel_booking',
      description: 'Cancels the booking of a hotel.',
      parameters: object({
        booking_id: text('as BK-1234'),
        reason: choice(['illness', 'work', 'weather', 'other'], 'why', { default: 'other' }),
      }),
    },
    {
      name: 'hotel_reviews',
      description: 'Reviews that guests wrote of a hotel.',
      parameters: object({
        hotel_id: text('as HO-1234'),
        limit: whole('number of reviews', { default: 10 }),
        order: choice(['newest', 'best', 'worst'], 'which come first', { default: 'newest' }),
      }),
    },
  ],
  wishes: [
    {
      tool: 'search_hotels',
      kind: 'long',
      vague: 'List hotels that have rooms for three nights.',
      draw: (drawn) => {
        const [city, [day, check_in], nights, guests] = [
          drawn.one(cities),
          drawn.coming(),
          drawn.between(2, 6),
          drawn.between(3, 5),
        ];
        const [min_stars, max_price] = [drawn.between(3, 4), drawn.between(80, 200, 10)];
        return {
          says: `List hotels in ${city} for ${nights} nights from ${day}, for ${guests} people, with at least ${min_stars} stars and breakfast, for ${max_price} euros a night at most.`,
          arguments: { city, check_in, nights, guests, filters: { min_stars, max_price, breakfast: true } },
        };
      },
    },
    {
      tool: 'book_hotel',
      kind: 'computed',
      vague: 'Book me a room from tomorrow for two nights.',
      draw: (drawn) => {
        const [hotel, nights, rooms] = [drawn.id('HO'), drawn.between(2, 6), drawn.between(1, 3)];
        const offset = drawn.between(1, 2);
        return {
          says: `Book ${rooms === 1 ? 'a room' : `${rooms} rooms`} in hotel ${hotel} from ${offset === 1 ? 'tomorrow' : 'the day after tomorrow'}, for ${nights} nights.`,
          arguments: {
            hotel_id: hotel,
            check_in: drawn.day(offset),
            check_out: drawn.day(offset + nights),
            ...(rooms > 1 && { rooms }),
          },
        };
      },
    },
    {
      tool: 'cancel_booking',
      kind: 'plain',
      vague: 'Cancel my booking, I am ill.',
      draw: (drawn) => {
        const booking = drawn.id('BK');
        const [said, reason] = drawn.one([
          ['I am ill', 'illness'],
          ['my boss needs me', 'work'],
          ['a storm is coming', 'weather'],
        ] as const);
        return { says: `Cancel booking ${booking}, because ${said}.`, arguments: { booking_id: booking, reason } };
      },
    },
    {
      tool: 'hotel_reviews',
      kind: 'plain',
      vague: 'Show me the worst reviews of that hotel.',
      draw: (drawn) => {
        const [hotel, limit, order] = [drawn.id('HO'), drawn.between(3, 9), drawn.one(['newest', 'best', 'worst'])];
        return {
          says: `Show me the ${limit} ${order} reviews of hotel ${hotel}.`,
          arguments: { hotel_id: hotel, limit, order },
        };
      },
    },
  ],
};

const account = (description: string) => choice(['checking', 'savings', 'joint'], description);
const currency = (description: string) => choice(['EUR', 'USD', 'JPY', 'GBP', 'CHF'], description);
const accounts = ['checking', 'savings', 'joint'] as const;

const bank: ToolDomain = {
  tools: [
    {
      name: 'transfer_money',
      description: 'Sends money to somebody else, once.',
      parameters: object({
        from_account: account('where the money comes from'),
        to_iban: text('without spaces'),
        amount_cents: whole('euro cents', { minimum: 1 }),
        reference: text('what the receiver reads', { default: '' }),
      }),
    },
    {
      name: 'schedule_transfer',
      description: 'Sends money to somebody else again and again.',
      parameters: object({
        from_account: account('where the money comes from'),
        to_iban: text('without spaces'),
        amount_cents: whole('euro cents', { minimum: 1 }),
        every: choice(['week', 'month', 'quarter', 'year'], 'how often'),
        first_date: date('the first time'),
      }),
    },
    {
      name: 'account_balance',
      description: 'How much money is in an account.',
      parameters: object({ account: account('which') }),
    },
    {
      name: 'list_transactions',
      description: 'What came into an account and what left it.',
      parameters: object({
        account: account('which'),
        from_date: date('the first day'),
        to_date: date('the last day'),
        min_cents: whole('leaves out smaller amounts, in euro cents', { default: 0 }),
      }),
    },
    {
      name: 'convert_currency',
      description: 'What an amount is worth in another currency today.',
      parameters: object({ amount: number('how much'), from: currency('its currency'), to: currency('the other one') }),
    },
  ],
  wishes: [
    {
      tool: 'transfer_money',
      kind: 'computed',
      vague: 'Send 20 euros from my checking account.',
      draw: (drawn) => {
        const [from_account, iban] = [
          drawn.one(accounts),
          `DE${drawn.between(10, 99)}${drawn.between(10_000_000, 99_999_999)}`,
        ];
        const [one, other] = [drawn.between(12, 80), drawn.between(5, 40)];
        return {
          says: `Send ${one} euros for the meal plus ${other} euros and 50 cents for the taxi in one transfer from my ${from_account} account to ${iban}.`,
          arguments: { from_account, to_iban: iban, amount_cents: 100 * (one + other) + 50 },
        };
      },
    },
    {
      tool: 'schedule_transfer',
      kind: 'computed',
      vague: 'Send 40 euros from my savings account every month.',
      draw: (drawn) => {
        const [from_account, iban] = [
          drawn.one(accounts),
          `AT${drawn.between(10, 99)}${drawn.between(10_000_000, 99_999_999)}`,
        ];
        const [euros, every, [said, first_date]] = [
          drawn.between(15, 90),
          drawn.one(['week', 'month', 'quarter']),
          drawn.coming(),
        ];
        return {
          says: `Send ${euros} euros from my ${from_account} account to ${iban} every ${every}, for the first time ${said}.`,
          arguments: { from_account, to_iban: iban, amount_cents: 100 * euros, every, first_date },
        };
      },
    },
    {
      tool: 'account_balance',
      kind: 'plain',
      vague: 'Look up the balance.',
      draw: (drawn) => {
        const which = drawn.one(accounts);
        return { says: `Look up the balance of my ${which} account.`, arguments: { account: which } };
      },
    },
    {
      tool: 'list_transactions',
      kind: 'computed',
      vague: 'List the transactions of my joint account.',
      draw: (drawn) => {
        const [which, days, euros] = [drawn.one(accounts), drawn.between(3, 10), drawn.between(20, 200, 10)];
        return {
          says: `List everything of at least ${euros} euros on my ${which} account, from ${days} days ago until yesterday.`,
          arguments: { account: which, from_date: drawn.day(-days), to_date: drawn.day(-1), min_cents: 100 * euros },
        };
      },
    },
    {
      tool: 'convert_currency',
      kind: 'plain',
      vague: 'Convert 30 euros for me.',
      draw: (drawn) => {
        const [amount, [from, to]] = [
          drawn.between(20, 900),
          drawn.some(
            [
              ['EUR', 'euros'],
              ['USD', 'US dollars'],
              ['JPY', 'yen'],
              ['CHF', 'Swiss francs'],
            ] as const,
            2,
          ),
        ];
        return {
          says: `Convert ${amount} ${from![1]} to ${to![1]}.`,
          arguments: { amount, from: from![0], to: to![0] },
        };
      },
    },
  ],
};

const rooms = ['kitchen', 'bedroom', 'office', 'bathroom'] as const;
const room = choice(rooms, 'which room');

const home: ToolDomain = {
  tools: [
    {
      name: 'set_thermostat',
      description: 'Heats or cools a room to a temperature.',
      parameters: object({
        room,
        celsius: number('degrees Celsius'),
        until: clock('back to normal then', { default: '22:00' }),
      }),
    },
    {
      name: 'set_light',
      description: 'Light of a room.',
      parameters: object({
        room,
        brightness: whole('percent; 0 is off', { minimum: 0, maximum: 100 }),
        color: choice(['warm', 'cold', 'red', 'blue'], 'its color', { default: 'warm' }),
      }),
    },
    {
      name: 'set_blinds',
      description: 'Blinds of a room.',
      parameters: object({ room, closed_percent: whole('0 is open, 100 closed', { minimum: 0, maximum: 100 }) }),
    },
    {
      name: 'run_vacuum',
      description: 'Lets the robot clean rooms.',
      parameters: object({
        rooms: list(room, 'in the order of the request'),
        mode: choice(['quiet', 'normal', 'strong'], 'how hard', { default: 'normal' }),
        start: clock('when'),
      }),
    },
  ],
  wishes: [
    {
      tool: 'set_thermostat',
      kind: 'computed',
      vague: 'Heat the room to 21 degrees.',
      draw: (drawn) => {
        const [where, celsius, [time, until]] = [drawn.one(rooms), drawn.between(18, 24), drawn.time()];
        return {
          says: `Set the thermostat of the ${where} to ${celsius} degrees until ${time}.`,
          arguments: { room: where, celsius, until },
        };
      },
    },
    {
      tool: 'set_light',
      kind: 'computed',
      vague: 'Set the light to half its brightness.',
      draw: (drawn) => {
        const where = drawn.one(rooms);
        const [said, brightness] = drawn.one([
          ['half', 50],
          ['a quarter of', 25],
          ['a fifth of', 20],
          ['three quarters of', 75],
        ] as const);
        const color = drawn.one(['cold', 'red', 'blue']);
        return {
          says: `Set the light of the ${where} to ${said} its full brightness, in ${color}.`,
          arguments: { room: where, brightness, color },
        };
      },
    },
    {
      tool: 'set_blinds',
      kind: 'plain',
      vague: 'Close the blinds to 60 percent.',
      draw: (drawn) => {
        const [where, percent] = [drawn.one(rooms), drawn.between(10, 90, 10)];
        return {
          says: `Close the blinds of the ${where} to ${percent} percent.`,
          arguments: { room: where, closed_percent: percent },
        };
      },
    },
    {
      tool: 'run_vacuum',
      kind: 'long',
      vague: 'Let the robot clean at eight in the morning.',
      draw: (drawn) => {
        const [first, second] = drawn.some(rooms, 2);
        const [[time, start], mode] = [drawn.time(), drawn.one(['quiet', 'strong'])];
        return {
          says: `Let the robot clean first the ${first} and then the ${second} at ${time}, in ${mode} mode.`,
          arguments: { rooms: [first, second], mode, start },
        };
      },
    },
  ],
};

const songs = [
  ['Yesterday', 'The Beatles'],
  ['Jolene', 'Dolly Parton'],
  ['Heroes', 'David Bowie'],
  ['Hurt', 'Johnny Cash'],
  ['Halo', 'Beyoncé'],
] as const;
const devices = ['phone', 'kitchen', 'car'] as const;

const music: ToolDomain = {
  tools: [
    {
      name: 'play_song',
      description: 'Plays one song at once.',
      parameters: object({
        title: text('of the song'),
        artist: text('who sings'),
        device: choice(devices, 'where', { default: 'phone' }),
      }),
    },
    {
      name: 'queue_song',
      description: 'Plays one song after the present one.',
      parameters: object({ title: text('of the song'), artist: text('who sings') }),
    },
    {
      name: 'create_playlist',
      description: 'Makes a new playlist.',
      parameters: object({
        name: text('as the user says it'),
        songs: list(object({ title: text('of the song'), artist: text('who sings') }), 'in the order of the request'),
        is_public: flag('others may hear it', false),
      }),
    },
    {
      name: 'sleep_timer',
      description: 'Ends the music after a while.',
      parameters: object({ minutes: whole('from now on'), device: choice(devices, 'where', { default: 'phone' }) }),
    },
  ],
  wishes: [
    {
      tool: 'play_song',
      kind: 'plain',
      vague: 'Play a song in the car.',
      draw: (drawn) => {
        const [[title, artist], device] = [drawn.one(songs), drawn.one(['kitchen', 'car'])];
        return { says: `Play "${title}" by ${artist} in the ${device} now.`, arguments: { title, artist, device } };
      },
    },
    {
      tool: 'queue_song',
      kind: 'plain',
      vague: 'Play something by Dolly Parton after this song.',
      draw: (drawn) => {
        const [title, artist] = drawn.one(songs);
        return { says: `When this song is over, play "${title}" by ${artist}.`, arguments: { title, artist } };
      },
    },
    {
      tool: 'create_playlist',
      kind: 'long',
      vague: 'Make me a playlist.',
      draw: (drawn) => {
        const [name, chosen, is_public] = [
          drawn.one(['Morning run', 'Quiet hours', 'Road trip']),
          drawn.some(songs, 2),
          drawn.chance(0.5),
        ];
        return {
          says: `Make a ${is_public ? 'public ' : ''}playlist called "${name}" with ${chosen.map(([title, artist]) => `"${title}" by ${artist}`).join(' and ')}.`,
          arguments: {
            name,
            songs: chosen.map(([title, artist]) => ({ title, artist })),
            ...(is_public && { is_public }),
          },
        };
      },
    },
    {
      tool: 'sleep_timer',
      kind: 'computed',
      vague: 'End the music in the kitchen after a while.',
      draw: (drawn) => {
        const [[said, minutes], device] = [drawn.length(), drawn.one(['kitchen', 'car'])];
        return { says: `End the music in the ${device} after ${said}.`, arguments: { minutes, device } };
      },
    },
  ],
};

export const tuningDomains: readonly ToolDomain[] = [weather, calendar, hotels, bank, home, music];
