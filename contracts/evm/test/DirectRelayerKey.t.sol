// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization} from "../src/PaymentTypes.sol";
import {DirectFixture} from "./DirectFixture.sol";

/// @dev A relayer's key in an attacker's hands, with every signature that the relayer ever had: it spends its own gas.
/// Each signed payment can only arrive where it was signed to, at most once.
contract DirectRelayerKeyTest is DirectFixture {
    uint256 private constant PAYMENTS = 4;
    address private relayer = makeAddr("relayer");
    Authorization[PAYMENTS] private _signed;
    address[PAYMENTS] private _wallets;
    uint256 private _total;

    function setUp() public override {
        super.setUp();
        vm.deal(relayer, 1 ether);
        _wallets = [merchant, merchant, partner, affiliate];
        for (uint256 i; i < PAYMENTS; ++i) {
            token.mint(vm.addr(_key(i)), 1e6);
            Authorization memory a = _authorization(vm.addr(_key(i)), 1_000 * (i + 1));
            _signed[i] = a;
            _total += a.value;
            // Whatever a payer allows the batch contract is out of its reach: it never calls `transferFrom`.
            vm.prank(a.from);
            token.approve(address(direct), type(uint256).max);
        }
    }

    function _item(uint256 which) private view returns (bytes memory) {
        return _keyItem(_key(which), _signed[which], _wallets[which], uint64(which));
    }

    function _attack(bytes memory groups) private {
        vm.prank(relayer);
        try direct.settle(address(token), CALL_GAS, groups) {} catch {}
    }

    function _requireNothingGained() private view {
        uint256 arrived;
        for (uint256 i; i < PAYMENTS; ++i) {
            uint256 paid = 1e6 - token.balanceOf(_signed[i].from);
            assertTrue(paid == 0 || paid == _signed[i].value, "a payer pays what was signed, once");
            arrived += paid;
        }
        assertEq(
            token.balanceOf(merchant) + token.balanceOf(partner) + token.balanceOf(affiliate),
            arrived,
            "all of it arrives at the wallets"
        );
        assertLe(token.balanceOf(merchant), 3_000);
        assertLe(token.balanceOf(partner), 3_000);
        assertLe(token.balanceOf(affiliate), 4_000);
        assertEq(token.balanceOf(relayer) + token.balanceOf(address(direct)), 0, "the attacker gets nothing");
    }

    function test_redirectedReplayedAndEnlargedPaymentsGainNothing() public {
        for (uint256 i; i < PAYMENTS; ++i) {
            _attack(_to(relayer, _item(i)));
            Authorization memory more = _signed[i];
            more.value *= 2;
            _attack(_to(_wallets[i], _compact(_key(i), more, _digest(_signed[i], _wallets[i]), 1)));
            _attack(_to(_wallets[i], abi.encodePacked(_item(i))));
            _attack(_to(_wallets[i], abi.encodePacked(_item(i))));
        }
        _requireNothingGained();
        assertEq(token.balanceOf(merchant) + token.balanceOf(partner) + token.balanceOf(affiliate), _total);
    }

    /// @dev The same by calls of the token itself, which need no batch contract and no key of ours.
    function test_theTokenItselfGivesTheAttackerNothingEither() public {
        for (uint256 i; i < PAYMENTS; ++i) {
            Authorization memory a = _signed[i];
            (uint8 v, bytes32 r, bytes32 s) = vm.sign(_key(i), _digest(a, _wallets[i]));
            vm.startPrank(relayer);
            vm.expectRevert("FiatTokenV2: invalid signature");
            token.transferWithAuthorization(a.from, relayer, a.value, a.validAfter, a.validBefore, a.nonce, v, r, s);
            vm.expectRevert("FiatTokenV2: caller must be the payee");
            token.receiveWithAuthorization(a.from, _wallets[i], a.value, a.validAfter, a.validBefore, a.nonce, v, r, s);
            vm.stopPrank();
        }
        _requireNothingGained();
    }

    /// @dev Groups of anything that the attacker has, in any arrangement and with any bytes changed.
    function testFuzz_noArrangementGainsAnything(uint256 seed, address elsewhere, uint16 position, uint8 change)
        public
    {
        vm.assume(token.balanceOf(elsewhere) == 0 && elsewhere != address(0));
        bytes memory groups;
        for (uint256 i; i < 4; ++i) {
            uint256 die = uint256(keccak256(abi.encode(seed, i)));
            uint256 which = die % PAYMENTS;
            address to = die & 256 == 0 ? _wallets[which] : die & 512 == 0 ? relayer : elsewhere;
            groups = abi.encodePacked(groups, _to(to, _item(which)));
        }
        if (change != 0) groups[position % groups.length] ^= bytes1(change);
        _attack(groups);
        _requireNothingGained();
        assertTrue(
            elsewhere == merchant || elsewhere == partner || elsewhere == affiliate || token.balanceOf(elsewhere) == 0
        );
    }

    /// @dev Any target in the place of the token: the contract has nothing anywhere that a call of it could use.
    function testFuzz_aTokenOfTheAttackersChoiceMovesNothing(bytes calldata junk) public {
        bytes memory groups = abi.encodePacked(_head(relayer, 1, 1), junk);
        address[3] memory targets = [address(token), address(direct), address(processor)];
        for (uint256 i; i < targets.length; ++i) {
            vm.prank(relayer);
            try direct.settle(targets[i], CALL_GAS, groups) {} catch {}
        }
        _requireNothingGained();
    }
}
