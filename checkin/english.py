"""Common English words of picture requests, so that a known word is never taken for a typing error.

The words that occur at least three times in PartiPrompts and in captions of MS-COCO, and names of things people draw.
"""

from __future__ import annotations

WORDS = frozenset(
    """
aardvark abandoned about above abstract accessories accident acorn across action actor actress added adjacent adorned
adult adults advertisement advertisements advertising aerial after against aged ahead air aircraft airline airlines
airplane airplanes airport airship alamo album alien all alligator alone along alongside alpaca also altered aluminum
ambulance america american among amongst amount amulet anchor and android angel angeles angle angry animal animals
anime another ant antelope antique anubis any apart apartment ape appears apple apples appliance appliances
approaching aquarium arch archer architecture are area arena arm armadillo armchair armour arms around arranged
arrangement arrow art artifacts artificial arts ascending asian assorted assortment asteroid astronaut athenian
athlete atop attached attempting attire audience ave aviator avocado away awning axe baboon baby back background
backhand backpack backyard bacon badge badger bag bags baked bakery baking balancing balcony bald ball ballerina
balloon balloons balls bamboo banana bananas band bandana banjo bank banner banquet bar barbed barn barrel base
baseball baseballs basement bases basic basilica basket basketball baskets bat bath bathing bathroom bathtub bats
batter batting battleship bay beach beak beam beans bear beard bearded bears beautiful beautifully beaver because bed
bedroom beds beef been beer beers bees beetle beetroot before behind beige being bell below belt ben bench benches
bend bending beneath bent berries beside between beverage beverages bicycle bicycles big bigger bike bikes biking bill
bin biology bird birds birthday bison bit bite biting black blade blanket blankets blazer blender blinds block blocks
blonde blood bloody blouse blow blowing blue blurry boar board boarder boarders boarding boards boat boats boba body
bomb bonnet boogie book books bookshelf bookshelves bookshop boomerang boot booth boots boston both bottle bottles
bottom boulder bouquet bow bowl bowls bowtie box boxes boy boys bracelet brain branch branches bread break breakfast
breathing brick bride bridge bright brightly broccoli broken broom brother brown brush brushes brushing bubble bucket
buffalo buffet building buildings built bull bulldozer bun bunch bunches bundle bunk bunker buns burger bus buses bush
bushes business businessman busses bust busy but butterfly buttons cabbage cabin cabinet cabinetry cabinets cable
cactus cafe cage cake cakes calculator calf called calm came camel camera campfire can canal candle candles candy cane
cannon canoe canopy cans canvas canyon cap cape captured capybara car caravan card cardboard care cargo carnival
carousel carpet carriage carrot carrots carrying cars cart cartoon carved case cash cashier castle cat catch catcher
catchers catches catching cathedral cats cattle cauliflower cave ceiling celebrating cell cello cellphone cellular
cement cemetery centaur center cereal chain chained chair chairs challenge challenging chameleon chandelier char
character characters charcoal charger chariot chased chasing checkered checkers checking checks cheese cheetah chef
chefs chemtrail chess chest chewing chicken child children chili chimp chimpanzee china chinese chips chocolate
chopsticks christmas church cigar cinnamon circle circles circular circus city cityscape clam class classic classroom
claw clay clean cleaner cleaning clear clearly cliff climbing clock clocks close closed closet closeup cloth clothes
clothing cloud cloudless clouds cloudy clown cluster cluttered coach coat cobblestone cobra cockroach cocktail coffee
coffin cogview coin cold coleslaw collar collection color colored colorful colorfully colors comet comic coming
commander commercial commode commuter company compass competition complete complex computer computers concepts concert
concrete condiments conductor cone cones conference console construction container containers containing contains
contrast control controller controllers controls conversation convertible cook cooked cookie cookies cooking cool cop
coral corgi corn corner corral corvette costume costumes cottage couch couches counter counters countertop country
countryside couple court courtyard cover covered covering covers cow cowboy cows crab cracked cracks craft crane
cranes crashed crashing crate crater crayon cream creature creek crocodile cross crosses crossing crosswalk crow crowd
crowded crown cruel crumbs crust crystal cube cubism cup cupcakes cups curb curled curly curtain curtains curve curvy
cushion cushions cut cute cuts cutting cyborg dagger daikon dairy dall dark dashboard daughter dawn day dead deck
decked decker decor decorated decoration decorations decorative deep deer delicious delivery demon den department
depicting description desert deserted design designed designs desk desktop dessert desserts detail detailed detective
device diagram diamond dice different diffusion dimly dining dinner dinosaur diplodocus direction directions directly
dirt dirty disc dish dishes dishwasher disk display displayed displaying displays distance ditransitive diver diving
dock docked doctor does dog dogs doing doll dolls dolphin dolphins donkey donut donuts door doorknocker doors doorway
dot double dough doughnut doughnuts down downhill downtown dracula dragon dragonfly draped drawing drawn dress dressed
dresser dressing dried drill drink drinking drinks drive drivers drives driveway driving drone drum dry dryer drying
dslr dual duck ducks dump during dusk dust dusty dwarf each eagle ear earring ears earth easel easy eat eaten eating
eats edge eel egg eggs egyptian eiffel either elderly electric electronic electronics elegant elements elephant
elephants elevated elevator elf elk emoji emperor empire empress empty enclosed enclosure end energy engaged engine
engineer english enjoy enjoying enter entering entertainment entrance entree equipment equipped espresso european
evening event everest every ewe examines excellent exhibit exploding explosion eye eyes face faces facing factory
faded fair fairy faithful fake falcon fall fallen falling family fan fancy fans far farm farmer farmers fashioned fast
father faucet feast feather feathers features featuring feed feeder feeding feet fell female females fence fenced
ferret ferry few fiddle field fields fight fighter fighting figure figurines file filled filling fine fingers finish
fire firefighter fireplace fireworks first fish fit five fixtures flag flags flame flamingo flat flatbed flies flight
flip flipped flipping floating floats flock floor floors floral flower flowers flown fluffy flute fly flying fog foil
folded follow following food foods foot football for ford foreground foreign forest fork formal format fort fortress
forward fountain four fox framed francisco free freezer freight french fresh fridge fried friend friendly friends
fries frisbee frisbees frog from front frosted frosting fruit fruits fry frying full fully fun funny fur furnished
furnishings furniture furry futuristic fuzzy galaxy game games garage garbage garden gargoyle garlic garnished gas
gate gates gather gathered gathering gazelle gazing gear gecko gentleman get gets getting geyser ghost giant giraffe
giraffes girl girls gives giving glacier gladiator glass glasses glazed glide glider globe glove gloves goat goblet
goblin god goddess goers goes goggles gogh going gold goldberg golden goldfish golem golf good goose gorilla
graduation graffiti grained grand granddaughter grandfather grandmother granite grape grass grasses grasshopper grassy
gravel gravy gray graze grazing great green greens grey griffin grill grilled grind groceries grocery groom ground
group grouped groups growing guests guitar gun guy guys gym habitat hair haired half hall hallway ham hamburger
hamburgers hammer hamster hand handed handle handpalm hands handsaw hang hanger hanging hangs happy harbor harbour
hard harness harp has hat hats hauling have having hawk hay head heading headphones heads healthy heart heavily
hedgehog height held helicopter helmet helmets help hen her herd herding here hero heron herself hiding hieroglyphics
high highway hill hills hillside hilly him himself hippo hippopotamus his hit hits hitter hitting hobbit hokusai hold
holder holding holds hole holes holiday home homemade honey hood hooked horizon horn horned horns horse horseback
horses hose hospital hot hotdog hotdogs hotel hound hour house houses hovering how hue huge hugging human humorous
hunter husky hydrant hyena ice iceberg icing icons igloo iguana illustration illustrations image images imagination
imp impressionistic includes including indicating individuals indoor indoors industrial ingredients ink insect inside
inspired instead intelligence intently interior intersection into iphone iron island item items its itself jacket
jackets jaguar japanese jar jars jeans jeep jellyfish jersey jester jet jetliner jets jewel judge jug juice jumbo jump
jumped jumping jumps jungle jupiter just kachina kangaroo karate kept ketchup kettle key keyboard keys kick kicking
kid kids kilt kind kinds king kingfisher kiosk kiss kitchen kite kites kitten kitty kneeling knife knight knocked know
knowledge koala kremlin lab labyrinth ladder lady ladybug laid lake lakeside lamb lamp lamps land landing landscape
lane language lantern lap laptop laptops large larger latte laughing lawn lay layer laying lays leading leads leaf
leafy leaned leaning leans leaping learning leash leather leaves lecture led ledge left leg lego legs lemon lemur lens
leopard letter letters letting lettuce level lever liberty library licking lid lies life lift lifting light lighted
lighthouse lights like lily line lined lines linguistic lining lion liquid liquor lisa listening lit little living
lizard llama load loaded loading lobby lobster located locket locomotive log logo logs london lone long look looking
looks los lot lots lounging love lovely low luggage lunch lush lying lynx macaw machine machines mad made magazine
magician make maker makes making male mammoth man manatee manhattan mannequin mansion mantis many map marble margarita
marina mario marker market married mars marsh mary mask massive match matching math mattress meadow meal meaning
meanings meat meats medal meerkat meeting members men mermaid message messy metal metallic meteor meter meters metro
microphone microscope microwave mid middle military milk millennium minecraft mini miniature minotaur mirror mirrors
missing mitt mixed mixing mobile model modern modified mole mona monastery monitor monitors monk monkey monster mood
moon moored moose moped more morning mosque mostly moth mother motion motor motorbike motorcycle motorcycles
motorcyclist motorcyclists mound mount mountain mountains mountainside mounted mouse mouth mouths moves movie moving
much muffin mug mugs mule multi multicolored multiple mummy mural museum mushroom mushrooms music musical mustard name
named nap napkin narrow natural nature near nearby neat neath neatly nebula neck necklace necktie negation
neighborhood neon nest net new newly newspaper newt next nice nicely night ninja nintendo noodle noodles nose not note
notebook notes now number numbers numerous nun nurse nuzzle nymph oak obelisk object objects obstacle ocean octopus
odd off office officer officers ogre oil old older olives omelette one ones onion onions onlookers only onto open
opened opening opera opossum opponent opposite orange oranges orc orchestra orchid order organ oriental ornament
ornamental ornate ostrich other others otherwise otter out outdoor outdoors outfit outside oval oven over overcast
overhead overlooking owl own owner ox oxen oyster packed pad paddle pads page pagoda paint painted painting paintings
pair pairs pajamas palace palm pan pancakes panda pandas paneled pangolins pans panther pantry pants paper papers
parachute parade park parked parking parrot parrots part parthenon partially parts party pass passenger passengers
passes passing past pasta paste pastries pastry pasture patch path patio pattern patterned paved pavement paws peace
peaceful peacock peanut pearl pears pedestal pedestrian pedestrians peeking peeks peel peeling peers pelican pen
penguin people pepper pepperoni peppers perched perform performing performs person personal persons perspective pet
petals pharaoh pho phoenix phone phones photo photograph photographs photos physics piano pick picked pickle pickles
pickup picnic picture pictured pictures pie piece pieces pier pig pigeon pigs pile piled piles pillow pillows pilot
pine pineapple pink pint pipe piranha pirate pistol pita pitch pitcher pitching pizza pizzas place placed placing
plaid plain plains plane planes planet plant plants plaque plastic plate plates platform platter platypus play played
player players playing plays plaza plenty plow plush podium point pointing points poised poker polar pole poles police
policeman politician pond pony pool pope porcelain porch porcupine porsche port portable portal portrait pose posed
poses posing position positioning post posted poster posts pot potato potatoes pots potted poured pouring power
practicing prepare prepared prepares preparing present president pretty priest prince princess print process produce
professional prompts propeller properties propped public puffin puffy pull pulled pulling pulls puma pumpkin punk
puppet puppy purple purse put putting pyramid python quail quality quantity quarters quarterstaff queen quilt rabbit
raccoon race racing rack racket rackets racks racquet radiating radio radish raft rail railing railroad rails rain
rainbow rainy raised ram ramp ramps ranch rat raven raw ray reaches reaching read reading reads ready real really rear
receive recycling red reflected reflecting reflection refrigerator refrigerators reindeer related relaxes relaxing
rembrandt remote remotes residential resolution resort rest restaurant resting restroom rests return returning rex
rhino rhinoceros ribbon rice richly ride rider riders rides riding rifle right rim ring ripe rises rising river road
roads roadside roadway roaming roast robot robots rock rocket rocking rocks rocky roiling roll rolling rolls roof room
rooster rope rose roses rough round row rowboat rowing rows royal rubber rube rue rug rugs ruin run running runway
rural rusted rustic rusty sad safety sail sailboat sailboats sailing sailor salad salamander sale salvador same
samurai san sand sandwich sandwiches sandy santa satellite saturn satyr sauce sausage savannah saxophone say saying
says scarecrow scattered scene scenes scenic schema school scientist scissors scooter scooters scorpion screen screens
screwdriver sculpture sea seagull seahorse seal seat seated seating seats second section see seems seen selection
selfie selling semi sentences separated series serve served serving set sets setting settings several shade shades
shadow shaking shallow shape shaped share sharing shark sharks sharp she sheep sheet sheets shelf shell shells shelves
shield shines shining shiny ship ships shirt shirtless shirts shoe shoes shop shopping shops shore short shorts shot
shoulder shoulders shouting show shower showing shown shows shrimp shutters shuttle side sides sidewalk sign signal
signs silhouette sill silver silverware simple sing singing single sink sinks siren sit site siting sits sitting
situated six size sizes skate skateboard skateboarder skateboarders skateboarding skateboards skatepark skating
skeleton sketch ski skier skiers skies skiing skiis skillet skin skinny skirt skis skull skunk sky skyline skyscraper
sled sleeping slice sliced slicer slices slicing sliding slightly slope slopes sloth slug small smaller smart
smartphone smile smiles smiley smiling smoke smoking smoothie snack snacks snail snake sneakers sniffing sniffs snow
snowboard snowboarder snowboarders snowboarding snowboards snowman snowy soap soaring sobbing soccer socks soda sofa
soft soldier some someone someones something son sorcerer sort soup south space spaceship spaceships spatula speakers
speaking spear spectators speech speed speeding sphere spider spire split spoon spoons sport sports spot spray
spraying spread sprinkled sprinkles square squares squid squirrel stack stacked stadium staff stag stage stain stained
stainless stairs stake stall stalls stance stand standing stands star stares starfish staring starry stars state
states station statue statues steak steamed steampunk steel steep steeple steps stick sticker stickers sticking sticks
sticky still stingray stir stone stools stop stoplight stoplights stopped store stores stork storm story stove
straight strange strapped strawberries strawberry stream street streets stretch string strings strip stripe striped
stripes structure structures stuck studded students stuff stuffed stump stunt stunts style styles sub submarine
submerged subway such sugar suit suitcase suitcases suite suits sun sunflower sunglasses sunken sunlight sunny sunrise
sunset superhero supplies surf surface surfboard surfboards surfer surfers surfing surfs surprised surrealist
surrounded surrounding sushi suv swan sweater sweatshirt sweet swimming swims swing swinging swings swirls sword
sydney symbol symbols system tabby table tables tag tail take taken takes taking talking talks tall tan tank tapir
tarantula tarmac tasting tattoos taxi tea teacher teaching teacups team teams teapot teddy teenage teenager teeth
telephone telescope television temple ten tennis tent tents terminal termite tethered texas text textured than that
the their them there these they thick thin thing things third this three throne through throw throwing thrown throws
thumbnail thumbs tidy tie tied tiered ties tiger tigers tile tiled tiles time times tin tinfoil tint tiny tipped tires
tissue toad toast toaster toddler tofu together toilet toilets tomato tomatoes tongue too tooth toothbrush
toothbrushes toothpaste top tophat topped toppings tops tornado tortoise tossed tossing toucans touching tour tourist
tourists tow toward towards towel towels tower towering towing town toy toys track tracks tractor traffic trail
trailer train trainer trains tram transit trash travel traveling travelling travels tray trays treasure treat treats
tree treehouse trees triangle triangles triceratops trick tricks trim trip troll trolley trolly trombone trophy
tropical truck trucks trumpet trunk trunks trying tub tuba tug tulip tunnel turkey turn turned turning turtle tutu
tuxedo twilight two type types typewriter typing tyrannosaurus ufo umbrella umbrellas umpire unable under underneath
unicorn uniform uniforms unique united unloading unmade unripe upside urban urinal urinals use used uses using
utensils utility vacuum valley vampire van vanity variety various vase vases vegetable vegetables vegetation veggies
vehicle vehicles venice verbs version vertical very vest vibe video vietnam view viewing viking villa village vintage
violin violins visible volcano vulture wading waffle wagon wait waiter waiting waits wake walk walking walks walkway
wall walls walrus wand war warming warrior was wash washing washington wasp watch watches watching water watercolor
waterfall wave waves way wear wearing wears weasel wedding weeds well were werewolf wet wetsuit wetsuits whale what
wheat wheel wheelchair wheels where which while whistle white who whole wicker wide wii wiki wild wilderness wildlife
will wind winding windmill window windows windowsill winds wine wing wings winograd winter wire wires wit witch with
within without wizard wolf wolverine woman wombat women wood wooded wooden woodpecker woods word words work worker
workers working works world worm worn would wrapped wrapper wreath writing written xylophone yacht yak yang yard
yellow yeti yin yogurt york you young your zebra zebras zeppelin zombie zoo
""".split()
)
