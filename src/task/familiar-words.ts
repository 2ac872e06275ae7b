// The words that the stories of the word problems are told in (training/words.py). A question in other words is not of their kind.

export const familiarWords: ReadonlySet<string> = new Set(
  (
    'a adds all also and another apples are as at away bags beads books borrows boxes brings buttons buy buys cards ' +
    'cents child children coins cost costs counts crates day days do does doubles each earns end equal equally every ' +
    'fewer fills finds first for friends from game get gets give gives good grams half hard has have he heap heaps ' +
    'home how in into is jars keeps large later left lends long loses lost make many marbles minutes missing more ' +
    'need neighbours now number of old on one only others owns packs parcel pencils people picks present puts quarter ' +
    'rest room sells share shares she shells shop soon splits stamps starts steals steps stickers take takes than ' +
    'that the them then there they thief third those throws tickets times to together toy trades trays triples until ' +
    'up uses wants way weigh weighs what wins with works worth year years'
  ).split(' '),
);
